/// Words of up to 256 bits: bits, numbers, text and bytes, against the same on strings of bits.
#include "acg/encoding/instruction_word.h"

#include <gtest/gtest.h>
#include <random>
#include <string>
#include <unordered_set>

#include "acg/encoding/layout.h"
#include "acg/encoding/word_text.h"

namespace covenant::acg {
namespace {

/// Bit i stands at text[i].
std::string picture(const InstructionWord& word) {
  std::string text;
  for (uint32_t bit = 0; bit < kMostWordBits; ++bit) text += word.bit(bit) ? '1' : '0';
  return text;
}

InstructionWord any(std::mt19937_64& random) {
  InstructionWord word;
  for (int part = 0; part < 4; ++part) word = word << 64 | InstructionWord(random());
  return word;
}

TEST(InstructionWord, BitsAreThoseOfItsPicture) {
  std::mt19937_64 random(1);
  for (int repeat = 0; repeat < 2000; ++repeat) {
    const InstructionWord word = any(random), other = any(random);
    const std::string bits = picture(word), more = picture(other);
    const auto width = static_cast<uint32_t>(1 + random() % 64);
    const auto low = static_cast<uint32_t>(random() % (kMostWordBits - width + 1));
    uint64_t number = 0;
    for (uint32_t bit = width; bit-- > 0;) number = number << 1 | (bits[low + bit] == '1' ? 1U : 0U);
    EXPECT_EQ(word.bits(low, width), number) << low << " " << width;
    const auto by = static_cast<uint32_t>(random() % 300);
    std::string shifted = std::string(by, '0') + bits;
    shifted.resize(kMostWordBits);
    EXPECT_EQ(picture(word << by), shifted) << by;
    const std::string of_both = picture(word & other), of_any = picture(word | other), of_one = picture(word ^ other);
    const std::string inverse = picture(~word);
    for (uint32_t bit = 0; bit < kMostWordBits; ++bit) {
      const bool a = bits[bit] == '1', b = more[bit] == '1';
      EXPECT_EQ(of_both[bit] == '1', a && b);
      EXPECT_EQ(of_any[bit] == '1', a || b);
      EXPECT_EQ(of_one[bit] == '1', a != b);
      EXPECT_EQ(inverse[bit] == '1', !a);
    }
    const auto ones = static_cast<uint32_t>(random() % (kMostWordBits + 1));
    EXPECT_EQ(picture(InstructionWord::ones(ones)), std::string(ones, '1') + std::string(kMostWordBits - ones, '0'));
  }
}

TEST(InstructionWord, IsANumberBelow64Bits) {
  EXPECT_EQ(InstructionWord(0x1234U), 0x1234U);
  EXPECT_NE(InstructionWord(1), InstructionWord(1) << 64);
  EXPECT_LT(InstructionWord(5), InstructionWord(6));
  std::mt19937_64 random(2);
  std::unordered_set<InstructionWord, InstructionWordHash> words;
  for (int repeat = 0; repeat < 1000; ++repeat) EXPECT_TRUE(words.insert(any(random)).second);
  for (uint32_t bit = 0; bit < kMostWordBits; ++bit) EXPECT_TRUE(words.insert(InstructionWord(1) << bit).second);
}

TEST(InstructionWord, TextAndBytesComeBack) {
  std::mt19937_64 random(3);
  for (uint32_t word_bits = 8; word_bits <= kMostWordBits; word_bits += 8) {
    const InstructionWord word = any(random) & InstructionWord::ones(word_bits);
    const std::string text = hex(word, word_bits);
    EXPECT_EQ(text.size(), word_bits / 4);
    EXPECT_EQ(word_of_hex(text), word);
    std::vector<uint8_t> bytes{42};
    append_bytes(bytes, word, word_bits);
    ASSERT_EQ(bytes.size(), 1 + word_bits / 8);
    EXPECT_EQ(word_of_bytes(std::span(bytes).subspan(1)), word);
    EXPECT_EQ(bytes[1], word.bits(0, 8)) << "little-endian";
  }
  EXPECT_EQ(hex(0x7a3ffU, 32), "0007a3ff");
  EXPECT_EQ(hex(0x7a3ffU, 8), "7a3ff") << "no digit is lost";
  EXPECT_EQ(word_of_hex("7A3ff"), InstructionWord(0x7a3ffU));
  EXPECT_EQ(word_of_hex(std::string(64, 'f')), InstructionWord::ones(256));
  for (const char* text : {"", "x", "12g", "-1", " 1"}) EXPECT_FALSE(word_of_hex(text)) << text;
  EXPECT_FALSE(word_of_hex("1" + std::string(64, '0'))) << "257 bits";
}

TEST(InstructionWord, ScatteredFieldsComeBack) {
  std::mt19937_64 random(4);
  for (int repeat = 0; repeat < 500; ++repeat) {
    std::string encoding(8 * (1 + random() % 32), '0');
    for (char& bit : encoding) bit = "01abc"[random() % 5];
    uint32_t bits_of_a = 0;
    for (char& bit : encoding) bits_of_a += bit == 'a' ? 1 : 0;
    if (bits_of_a == 0 || bits_of_a > 64) continue;
    const std::vector<BitRange> ranges = ranges_of(encoding, 'a');
    const uint64_t value = bits_of_a == 64 ? random() : random() & ((uint64_t{1} << bits_of_a) - 1);
    const InstructionWord word = scattered(value, ranges);
    EXPECT_EQ(gathered(word, ranges), value) << encoding;
    uint64_t seen = 0;  // the letters from left to right
    for (size_t i = 0; i < encoding.size(); ++i) {
      const bool is_set = word.bit(static_cast<uint32_t>(encoding.size() - 1 - i));
      if (encoding[i] == 'a') {
        seen = seen << 1 | (is_set ? 1U : 0U);
      } else {
        EXPECT_FALSE(is_set) << encoding;
      }
    }
    EXPECT_EQ(seen, value) << encoding;
  }
}

}  // namespace
}  // namespace covenant::acg
