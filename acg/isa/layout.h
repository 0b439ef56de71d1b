/// Bit positions of a mnemonic's fields.
#pragma once

#include <cstdint>
#include <vector>

#include "acg/isa/mnemonic.h"

namespace covenant::acg {

/// A word is an instance of a mnemonic if `(word & mask) == match`; `mask` covers opcode, constants and reserved bits.
struct WordPattern {
  uint32_t mask = 0;
  uint32_t match = 0;
  uint32_t reserved = 0;       ///< bits below the last field, zero
  std::vector<uint32_t> lows;  ///< position of the lowest bit of each field
};

/// Fields follow the opcode from the top bit downwards. Precondition: they fit, and word_bits <= 32.
WordPattern word_pattern(const Mnemonic& mnemonic, uint32_t word_bits, uint32_t opcode_bits);

}  // namespace covenant::acg
