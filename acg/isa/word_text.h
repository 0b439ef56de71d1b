/// Instruction words as hexadecimal numbers, and as bytes of memory.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "acg/isa/instruction_word.h"

namespace covenant::acg {

/// Digits for all of `word_bits`, zeros in front included: `0007a3ff`. More where the number has more.
std::string hex(const InstructionWord& word, uint32_t word_bits);
/// The number that hexadecimal digits write; nothing if there are none, other characters, or more than 256 bits.
std::optional<InstructionWord> word_of_hex(std::string_view digits);

/// A word of whole bytes as it lies in memory: little-endian. Precondition: `bytes` has at most 32.
InstructionWord word_of_bytes(std::span<const uint8_t> bytes);
/// The inverse, at the end of `bytes`.
void append_bytes(std::vector<uint8_t>& bytes, const InstructionWord& word, uint32_t word_bits);

}  // namespace covenant::acg
