// Text in UTF-8 against the decoder of the standard's own table: every code point, and every kind of wrong sequence.
#include "acg/base/utf8.h"

#include <gtest/gtest.h>
#include <string>

namespace covenant {
namespace {

/// RFC 3629, section 3.
std::string encoded(uint32_t point) {
  const auto tail = [&](uint32_t shift) { return static_cast<char>(0x80U | ((point >> shift) & 0x3FU)); };
  if (point < 0x80) return {static_cast<char>(point)};
  if (point < 0x800) return {static_cast<char>(0xC0U | (point >> 6U)), tail(0)};
  if (point < 0x10000) return {static_cast<char>(0xE0U | (point >> 12U)), tail(6), tail(0)};
  return {static_cast<char>(0xF0U | (point >> 18U)), tail(12), tail(6), tail(0)};
}

TEST(Utf8, HasEveryCodePointButSurrogates) {
  for (uint32_t point = 0; point < 0x110000; ++point) {
    const bool is_surrogate = point >= 0xD800 && point < 0xE000;
    ASSERT_EQ(is_utf8("a" + encoded(point) + "b"), !is_surrogate) << std::hex << point;
  }
}

TEST(Utf8, HasNoPartsOfSequences) {
  for (const uint32_t point : {0xA9U, 0x20ACU, 0x1F600U}) {
    const std::string whole = encoded(point);
    for (size_t bytes = 1; bytes < whole.size(); ++bytes) {
      EXPECT_FALSE(is_utf8(whole.substr(0, bytes))) << std::hex << point << ", " << bytes;
      EXPECT_FALSE(is_utf8(whole.substr(0, bytes) + "a")) << std::hex << point << ", " << bytes;
      EXPECT_FALSE(is_utf8(whole.substr(bytes))) << std::hex << point << ", " << bytes;
    }
  }
}

TEST(Utf8, HasNoOverlongSequencesAndNothingPastTheLastPoint) {
  for (const char* wrong : {"\xC0\x80", "\xC1\xBF", "\xE0\x80\x80", "\xE0\x9F\xBF", "\xF0\x80\x80\x80",
                            "\xF0\x8F\xBF\xBF", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFF", "\xFE"}) {
    EXPECT_FALSE(is_utf8(wrong));
  }
}

}  // namespace
}  // namespace covenant
