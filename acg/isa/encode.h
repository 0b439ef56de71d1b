/// Between operations and instruction words, by the mnemonics of a machine alone.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "acg/base/result.h"
#include "acg/graph/graph.h"
#include "acg/isa/layout.h"
#include "acg/isa/operation.h"
#include "acg/isa/syntax.h"

namespace covenant::acg {

/// Encoder and decoder of one machine; builds its tables once. Keeps no reference to the machine.
///
/// It works on single words. Of a machine with packets it makes words that are packets of their own (their parse bits
/// say so), and ignores the parse bits of words that it reads; whole packets: `acg/isa/packet.h`.
class Codec {
 public:
  /// Precondition: the machine has passed `validate` (no word decodes to two mnemonics).
  explicit Codec(const Machine& machine);

  /// The word of the mnemonic that does `instruction.operation`. Fails (ISA0001: no mnemonic does it; ISA0002: a value
  /// does not fit its field or is not among its names), naming operation, operand, value and range.
  Result<InstructionWord> encode(const Instruction& instruction) const;
  /// The same for an instruction whose extendable field gets the bits above the lowest six from the extender before it.
  /// Fails also with ISA0008: no field of the mnemonic is extendable.
  Result<InstructionWord> encode_extended(const Instruction& instruction) const;

  /// The operand that an extender would extend; nothing if no mnemonic of the operation has one.
  std::optional<size_t> extendable_operand(Operation operation) const;

  struct Decoded {
    Instruction instruction;
    uint32_t mnemonic = 0;  ///< index into Machine::mnemonics
  };
  /// Fails (ISA0003: no mnemonic has this opcode and these constant bits; ISA0004: reserved bits are not zero;
  /// ISA0005: an enumeration code without a name).
  Result<Decoded> decode(const InstructionWord& word) const;
  /// The same for a word after an extender, `high` the bits that it gives (its lowest six are zero).
  Result<Decoded> decode_extended(const InstructionWord& word, uint32_t high) const;

  /// Assembly text: by the syntax of the mnemonic; without one its name and its fields in order: `WAIT FULL, IBUF, 0`.
  /// An unknown word as `.word 0x...`. Addresses are shown as if the word stood at address 0.
  std::string disassemble(const InstructionWord& word) const;
  /// The inverse of `disassemble` (ISA0006: unknown mnemonic, ISA0007: wrong operands).
  Result<InstructionWord> assemble(const std::string& text) const;

  /// One instruction by its mnemonic's syntax. Precondition: `mnemonic` has one.
  std::string text(const Decoded& decoded, const TextPlace& place) const;
  struct Written {
    Decoded decoded;
    bool is_extended = false;  ///< its number was written after ##
    std::string produced;      ///< register written for an operand of kind `produced`, unless it was a number
  };
  /// The instruction that `text` writes by some mnemonic's syntax (ISA0006: by none).
  Result<Written> read(std::string_view text, const TextPlace& place) const;

  /// Number of bits, position of the lowest bit, for every field of a mnemonic (for documents, tests and RTL).
  using FieldBits = BitRange;
  /// Precondition: every field is one range, as in all words stated by an opcode.
  std::vector<FieldBits> layout(uint32_t mnemonic) const;
  /// For any word: the ranges of every field, the most significant bits first.
  const std::vector<std::vector<BitRange>>& ranges(uint32_t mnemonic) const { return entries_.at(mnemonic).ranges; }
  /// Which words are instances of a mnemonic: those with `(word & mask) == match`.
  WordPattern pattern(uint32_t mnemonic) const;
  /// Where the parse bits of every word are; empty for a machine without packets.
  const std::vector<BitRange>& parse_bits() const { return parse_bits_; }
  uint32_t word_bits() const { return word_bits_; }

 private:
  struct Entry {
    Mnemonic mnemonic;
    InstructionWord mask;  ///< opcode, constants and reserved bits
    InstructionWord match;
    InstructionWord reserved;
    std::vector<std::vector<BitRange>> ranges;
    std::vector<std::vector<int32_t>> codes;  ///< per field: operand value of each code (efields; others empty)
    std::vector<size_t> operands;             ///< per field: position of the operand that it carries
    std::vector<SyntaxPiece> pieces;          ///< of its syntax
  };
  Written written_as(const Entry& entry, const SyntaxMatch& match) const;
  const Entry* find(const InstructionWord& word) const;
  Diagnostic undecodable(const InstructionWord& word) const;
  Result<InstructionWord> encode_as_first_fits(const Instruction& instruction, bool extended) const;
  Result<InstructionWord> encode_as(const Entry& entry, const Instruction& instruction, bool extended) const;
  Result<Decoded> decode_as(const Entry& entry, const InstructionWord& word, std::optional<uint32_t> high) const;
  Result<InstructionWord> assemble_as(const Entry& entry, const std::vector<std::string_view>& operands) const;
  Result<InstructionWord> assemble_by_syntax(const std::string& text) const;

  std::vector<Entry> entries_;
  std::vector<std::vector<uint32_t>> by_operation_;  ///< entries, in their order
  std::vector<BitRange> parse_bits_;
  InstructionWord alone_;  ///< the parse bits of a word that is a packet of its own
  uint32_t word_bits_ = 0;
};

}  // namespace covenant::acg
