#include "acg/encoding/word_text.h"

#include <algorithm>

namespace covenant::acg {
namespace {

constexpr std::string_view kDigits = "0123456789abcdef";

}  // namespace

std::string hex(const InstructionWord& word, uint32_t word_bits) {
  std::string text;
  for (uint32_t low = kMostWordBits; low > 0;) {
    low -= 4;
    const uint64_t digit = word.bits(low, 4);
    if (text.empty() && digit == 0 && low >= word_bits) continue;
    text += kDigits[digit];
  }
  return text;
}

std::optional<InstructionWord> word_of_hex(std::string_view digits) {
  if (digits.empty()) return std::nullopt;
  InstructionWord word;
  for (const char character : digits) {
    const char lower = character >= 'A' && character <= 'F' ? static_cast<char>(character - 'A' + 'a') : character;
    const size_t digit = kDigits.find(lower);
    if (digit == std::string_view::npos || word.bits(kMostWordBits - 4, 4) != 0) return std::nullopt;
    word = word << 4 | InstructionWord(digit);
  }
  return word;
}

InstructionWord word_of_bytes(std::span<const uint8_t> bytes) {
  InstructionWord word;
  for (size_t i = bytes.size(); i-- > 0;) word = word << 8 | InstructionWord(bytes[i]);
  return word;
}

void append_bytes(std::vector<uint8_t>& bytes, const InstructionWord& word, uint32_t word_bits) {
  for (uint32_t i = 0; i < word_bits / 8; ++i) bytes.push_back(word.byte(i));
}

}  // namespace covenant::acg
