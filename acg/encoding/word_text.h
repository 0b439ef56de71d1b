/// Converts instruction words to and from hexadecimal text and bytes of memory.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "acg/encoding/instruction_word.h"

namespace covenant::acg {

/// `word_bits` bits as hexadecimal digits, leading zeros included: `0007a3ff`. More digits if the number has more bits.
std::string hex(const InstructionWord& word, uint32_t word_bits);
/// The number that hexadecimal digits encode. Nothing for an empty text, other characters, or more than 256 bits.
std::optional<InstructionWord> word_of_hex(std::string_view digits);

/// A word of whole bytes, stored little-endian in memory. Precondition: `bytes` has at most 32.
InstructionWord word_of_bytes(std::span<const uint8_t> bytes);
/// The inverse: appends the bytes of a word to `bytes`.
void append_bytes(std::vector<uint8_t>& bytes, const InstructionWord& word, uint32_t word_bits);

}  // namespace covenant::acg
