/// Encodes operations as instruction words and decodes them, using the mnemonics of a machine alone.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "acg/base/result.h"
#include "acg/encoding/layout.h"
#include "acg/encoding/syntax.h"
#include "acg/graph/graph.h"
#include "acg/operations/operation.h"

namespace covenant::acg {

/// Encoder and decoder of one machine. Builds its tables once and keeps no reference to the machine.
///
/// It works on single words. For a machine with packets it encodes each word as a packet of its own (by its parse bits)
/// and ignores the parse bits of words that it decodes; for whole packets see `acg/isa/vliw/packet.h`.
class Codec {
 public:
  /// Precondition: the machine has passed `validate` (no word decodes to two mnemonics).
  explicit Codec(const Machine& machine);

  /// Encodes `instruction` with the mnemonic that implements its operation. Errors: ISA0001 (no mnemonic implements
  /// it), ISA0002 (a value does not fit its field or is not among its names); they name operation, operand, value and
  /// range.
  Result<InstructionWord> encode(const Instruction& instruction) const;
  /// The same, but the extendable field leaves the bits above the lowest six to a constant extender before the word.
  /// Error also: ISA0008 (no field of the mnemonic is extendable).
  Result<InstructionWord> encode_extended(const Instruction& instruction) const;

  /// The operand that an extender would extend. Nothing if no mnemonic of the operation has one.
  std::optional<size_t> extendable_operand(Operation operation) const;

  struct Decoded {
    Instruction instruction;
    uint32_t mnemonic = 0;  ///< index into Machine::mnemonics
  };
  /// Decodes one word. Errors: ISA0003 (no mnemonic has this opcode and these constant bits), ISA0004 (reserved bits
  /// are not zero), ISA0005 (an enumeration code without a name).
  Result<Decoded> decode(const InstructionWord& word) const;
  /// The same for a word that follows an extender; `high` holds the bits that the extender gives (its lowest six are
  /// zero).
  Result<Decoded> decode_extended(const InstructionWord& word, uint32_t high) const;

  /// Assembly text of a word, in the syntax of its mnemonic; without a syntax, its name and its fields in order: `WAIT
  /// FULL, IBUF, 0`. An unknown word is written as `.word 0x...`. Addresses are shown as if the word stood at address
  /// 0.
  std::string disassemble(const InstructionWord& word) const;
  /// The inverse of `disassemble` (ISA0006: unknown mnemonic, ISA0007: wrong operands).
  Result<InstructionWord> assemble(const std::string& text) const;

  /// The text of one instruction in the syntax of its mnemonic. Precondition: the mnemonic has a syntax.
  std::string text(const Decoded& decoded, const TextPlace& place) const;
  struct Written {
    Decoded decoded;
    bool is_extended = false;  ///< the number was written after ##
    std::string produced;      ///< register written for an operand of kind `produced`; empty if it was written as a
                               ///< number
  };
  /// Reads `text` as an instruction in the syntax of some mnemonic. Error: ISA0006 (it matches none).
  Result<Written> read(std::string_view text, const TextPlace& place) const;

  /// Width and lowest bit of every field of a mnemonic (for documents, tests and RTL).
  using FieldBits = BitRange;
  /// Precondition: every field is one range of bits, as in all words that are defined by an opcode.
  std::vector<FieldBits> layout(uint32_t mnemonic) const;
  /// The bit ranges of every field of any mnemonic, most significant bits first.
  const std::vector<std::vector<BitRange>>& ranges(uint32_t mnemonic) const { return entries_.at(mnemonic).ranges; }
  /// The instances of a mnemonic: all words with `(word & mask) == match`.
  WordPattern pattern(uint32_t mnemonic) const;
  /// Positions of the parse bits in every word; empty for a machine without packets.
  const std::vector<BitRange>& parse_bits() const { return parse_bits_; }
  uint32_t word_bits() const { return word_bits_; }

 private:
  struct Entry {
    Mnemonic mnemonic;
    InstructionWord mask;  ///< covers opcode, constants and reserved bits
    InstructionWord match;
    InstructionWord reserved;
    std::vector<std::vector<BitRange>> ranges;
    std::vector<std::vector<int32_t>> codes;  ///< per field: operand value of each code (for efields; empty for others)
    std::vector<size_t> operands;             ///< per field: position of the operand that it carries
    std::vector<SyntaxPiece> pieces;          ///< pieces of its syntax
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
  std::vector<std::vector<uint32_t>> by_operation_;  ///< indices of entries for each operation, in order
  std::vector<BitRange> parse_bits_;
  InstructionWord alone_;  ///< parse bits of a word that is a packet of its own
  uint32_t word_bits_ = 0;
};

}  // namespace covenant::acg
