/// Bit positions of the fields of a mnemonic.
#pragma once

#include <cstdint>
#include <vector>

#include "acg/encoding/instruction_word.h"
#include "acg/encoding/mnemonic.h"

namespace covenant::acg {

/// A range of adjacent bits in a word.
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
  std::vector<std::vector<BitRange>> ranges;  ///< ranges of each field, most significant bits first
};

/// The ranges of the bits that an encoding marks with `letter`, most significant first.
std::vector<BitRange> ranges_of(const std::string& encoding, char letter);

/// The pattern of a mnemonic, from its encoding or from its opcode and widths. Precondition: the fields fit, and
/// word_bits <= kMostWordBits.
WordPattern word_pattern(const Mnemonic& mnemonic, uint32_t word_bits, uint32_t opcode_bits);

/// Places the lowest bits of `value` at the positions in `ranges`; all other bits are zero.
InstructionWord scattered(uint64_t value, const std::vector<BitRange>& ranges);
/// Collects the bits of `word` at the positions in `ranges`. Precondition: at most 64 bits.
uint64_t gathered(const InstructionWord& word, const std::vector<BitRange>& ranges);

}  // namespace covenant::acg
