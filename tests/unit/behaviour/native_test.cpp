// C++ that is made of behaviours: types by range, checks before loops, and what a small machine does with it.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <string>
#include <string_view>

#include "acg/behaviour/native/emit.h"
#include "acg/behaviour/native/slots.h"
#include "tests/support/behaviour.h"

namespace covenant::acg {
namespace {

namespace native = behaviour::native;
using testing::with;

std::string source_of(std::string_view more) { return native::emit(with(more)).at(native::kSource); }

/// The text of the function of the last list, a process.
std::string process_of(std::string_view more) {
  const std::string source = source_of(more);
  const size_t begin = source.rfind("static int list_");
  return source.substr(begin, source.find("\nEnd:\n", begin) - begin);
}

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

TEST(CompiledText, IsTheSameEachTime) {
  constexpr std::string_view kMore = "process p { x = wrap(i16, x + 1); }";
  EXPECT_EQ(native::emit(with(kMore)), native::emit(with(kMore)));
  EXPECT_NE(source_of(kMore), source_of("process p { x = wrap(i16, x + 2); }"));
}

TEST(CompiledText, NumbersHaveTheSmallestTypeThatHoldsThem) {
  EXPECT_EQ(native::element_type({0, 255}), "uint8_t");
  EXPECT_EQ(native::element_type({-1, 127}), "int8_t");
  EXPECT_EQ(native::element_type({-1, 128}), "int16_t");
  EXPECT_EQ(native::element_type({0, 65536}), "uint32_t");
  EXPECT_EQ(native::element_type({-1, int64_t{1} << 31}), "int64_t");
  EXPECT_TRUE(native::fits_32({-(int64_t{1} << 31), (int64_t{1} << 31) - 1}));
  EXPECT_FALSE(native::fits_32({0, int64_t{1} << 31}));
  EXPECT_TRUE(has(process_of("process p { let a = x * x; step { x = wrap(i16, a); } }"), "int32_t value ="));
  EXPECT_TRUE(has(process_of("process p { let a = x * x * x; step { x = wrap(i16, a); } }"), "int64_t value ="));
}

TEST(CompiledText, WhatOutlivesACycleIsKept) {
  const behaviour::Behaviour read = with("process p { let a = x; let b = x; step { x = b; } x = a; }");
  const native::Slots slots = native::slots_of(read, read.processes.front().code, {});
  ASSERT_EQ(slots.size(), 2U);
  EXPECT_TRUE(slots.at(0).is_kept);
  EXPECT_FALSE(slots.at(1).is_kept);
}

TEST(CompiledText, RowsAreCheckedBeforeTheirLoop) {
  const std::string text =
      process_of("state m : i8[9][16]; process p { m[0][x[3:0]] = 1; x = wrap(i16, sum(k in 0..15 : m[x[3:0]][k])); }");
  const size_t loop = text.find("for (int64_t k_");
  ASSERT_NE(loop, std::string::npos);
  EXPECT_LT(text.find("are_set("), loop);
  EXPECT_FALSE(has(text.substr(loop), "is_set("));  // not in each turn
}

TEST(CompiledText, WhatIsAlwaysWithinNeedsNoCheck) {
  const std::string text = process_of("state y : i8[16] = 0; process p { y[x[3:0]] = 1; x = y[x[7:4]]; }");
  EXPECT_FALSE(has(text, "bad = true"));
  EXPECT_TRUE(has(process_of("state y : i8[15] = 0; process p { y[x[3:0]] = 1; x = y[x[7:4]]; }"), "bad = true"));
}

TEST(CompiledText, AChoiceThatIsTheSameInAllTurnsIsMadeBefore) {
  const std::string text = process_of(
      "state m : i8[16] = 0; process p { m[0] = 1;"
      " x = wrap(i16, sum(k in 0..15 : x > 3 ? m[k] * 2 : m[k] + m[15 - k])); }");
  const size_t first = text.find("for (int64_t k_");
  EXPECT_NE(text.find("for (int64_t k_", first + 1), std::string::npos);
}

TEST(CompiledText, FewWordsDoNotMakeALongText) {
  std::string doubling = "function f0(a : i16) : i16 { return max(a, x); }";
  for (int i = 1; i < 40; ++i) {
    doubling += "function f" + std::to_string(i) + "(a : i16) : i16 { return max(f" + std::to_string(i - 1) + "(a), f" +
                std::to_string(i - 1) + "(a)); }";
  }
  EXPECT_LT(source_of(doubling + "process p { wait f39(x) > 0; x = f39(x); }").size(), 300'000U);
  std::string nested = "x";
  for (int i = 0; i < 60; ++i) nested = fmt::format("(x > {} ? m[x[3:0]] : {})", i, nested);
  EXPECT_LT(source_of("state m : i8[16]; process p { m[0] = 1; x = wrap(i16, sum(k in 0..15 : k * " + nested + ")); }")
                .size(),
            3'000'000U);
}

}  // namespace
}  // namespace covenant::acg
