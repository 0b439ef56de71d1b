/// Between operations and instruction words, by the mnemonics of a machine alone.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "acg/base/result.h"
#include "acg/graph/graph.h"
#include "acg/isa/operation.h"

namespace covenant::acg {

/// Encoder and decoder of one machine; builds its tables once. Keeps no reference to the machine.
class Codec {
 public:
  /// Precondition: the machine has passed `validate` (no word decodes to two mnemonics).
  explicit Codec(const Machine& machine);

  /// The word of the mnemonic that does `instruction.operation`. Fails (ISA0001: no mnemonic does it; ISA0002: a value
  /// does not fit its field or is not among its names), naming operation, operand, value and range.
  Result<uint32_t> encode(const Instruction& instruction) const;

  struct Decoded {
    Instruction instruction;
    uint32_t mnemonic = 0;  ///< index into Machine::mnemonics
  };
  /// Fails (ISA0003: no mnemonic has this opcode and these constant bits; ISA0004: reserved bits are not zero;
  /// ISA0005: an enumeration code without a name).
  Result<Decoded> decode(uint32_t word) const;

  /// Assembly text, the mnemonic and its fields in order: `WAIT FULL, IBUF, 0`; an unknown word as `.word 0x...`.
  std::string disassemble(uint32_t word) const;
  /// The inverse of `disassemble` (ISA0006: unknown mnemonic, ISA0007: wrong operands).
  Result<uint32_t> assemble(const std::string& text) const;

  /// Number of bits, position of the lowest bit, for every field of a mnemonic (for documents, tests and RTL).
  struct FieldBits {
    uint32_t low = 0;
    uint32_t width = 0;
  };
  std::vector<FieldBits> layout(uint32_t mnemonic) const;

 private:
  struct Entry {
    Mnemonic mnemonic;
    uint32_t mask = 0;  ///< opcode, constants and reserved bits
    uint32_t match = 0;
    uint32_t reserved = 0;
    std::vector<FieldBits> bits;
    std::vector<std::vector<int32_t>> codes;  ///< per field: operand value of each code (efields; others empty)
    std::vector<size_t> operands;             ///< per field: position of the operand that it carries
  };
  const Entry* find(uint32_t word) const;
  Diagnostic undecodable(uint32_t word) const;
  Result<uint32_t> encode_as(const Entry& entry, const Instruction& instruction) const;
  Result<uint32_t> assemble_as(const Entry& entry, const std::vector<std::string_view>& operands) const;

  std::vector<Entry> entries_;
};

}  // namespace covenant::acg
