/// Bit positions of a mnemonic's fields.
#pragma once

#include <cstdint>
#include <vector>

#include "acg/isa/instruction_word.h"
#include "acg/isa/mnemonic.h"

namespace covenant::acg {

/// Neighbouring bits of a word.
struct BitRange {
  uint32_t low = 0;
  uint32_t width = 0;
  bool operator==(const BitRange&) const = default;
};

/// A word is an instance of a mnemonic if `(word & mask) == match`; `mask` covers opcode, constants and reserved bits.
struct WordPattern {
  InstructionWord mask;
  InstructionWord match;
  InstructionWord reserved;                   ///< bits below the last field, zero
  std::vector<std::vector<BitRange>> ranges;  ///< of each field, its most significant bits first
};

/// Where the bits of `letter` stand in an encoding, the most significant first.
std::vector<BitRange> ranges_of(const std::string& encoding, char letter);

/// By the encoding, or by opcode and widths. Precondition: the fields fit, and word_bits <= kMostWordBits.
WordPattern word_pattern(const Mnemonic& mnemonic, uint32_t word_bits, uint32_t opcode_bits);

/// The lowest bits of `value`, put where `ranges` say; all other bits are zero.
InstructionWord scattered(uint64_t value, const std::vector<BitRange>& ranges);
/// The bits of `word` that `ranges` name, side by side. Precondition: they are 64 at most.
uint64_t gathered(const InstructionWord& word, const std::vector<BitRange>& ranges);

}  // namespace covenant::acg
