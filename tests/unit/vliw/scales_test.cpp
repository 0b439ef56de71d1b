// Scales in fixed point: the interpreter of codelets, the reference operators and exact arithmetic say the same.
#include "compiler/target/vliw/scales.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>

#include "compiler/codelet/arithmetic.h"
#include "compiler/reference/requantize.h"
#include "tests/property/acg/random_source.h"

namespace covenant::compiler::vliw {
namespace {

int32_t by_codelet(int32_t value, float scale) {
  const std::array<int32_t, 1> a{value}, s{std::bit_cast<int32_t>(scale)};
  std::array<int32_t, 1> result{};
  const std::array<std::span<const int32_t>, 2> operands{a, s};
  codelet::apply(codelet::Function::kRequantFixed, operands, {0, INT16_MIN, INT16_MAX}, true, result);
  return result[0];
}

/// Twice half up, in floating point of 64 bits, where nothing is lost. Scales below 0.5.
int32_t exact(int32_t value, float scale) {
  const int shift = -(std::ilogb(scale) + 1);
  const long double fraction = std::ldexp(static_cast<long double>(scale), shift);
  const long double product = std::floor(static_cast<long double>(value) * fraction + 0.5L);
  const long double rounded = std::floor(std::ldexp(product, -shift) + 0.5L);
  return static_cast<int32_t>(std::clamp<long double>(rounded, INT16_MIN, INT16_MAX));
}

TEST(FixedScales, AreFractionsAndShifts) {
  EXPECT_EQ(fixed_scale(0.5F).fraction, 1 << 30);
  EXPECT_EQ(fixed_scale(0.5F).shift, -1);
  EXPECT_EQ(fixed_scale(0.75F).fraction, 3 << 29);
  EXPECT_EQ(fixed_scale(0.125F).shift, 1);
  EXPECT_EQ(fixed_scale(1e-30F).shift, 31) << "no shift is greater";
  EXPECT_EQ(fixed_scale(0.0F).fraction, 0);
}

TEST(FixedScales, HalvesRoundUp) {
  EXPECT_EQ(by_codelet(1, 0.5F), 1);
  EXPECT_EQ(by_codelet(-1, 0.5F), 0);
  EXPECT_EQ(by_codelet(3, 0.25F), 1);
  EXPECT_EQ(by_codelet(1 << 20, 0.5F), INT16_MAX);
  EXPECT_EQ(by_codelet(-(1 << 20), 0.5F), INT16_MIN);
}

TEST(FixedScales, AllSayTheSame) {
  acg::testing::RandomSource random(31);
  for (int i = 0; i < 20'000; ++i) {
    const auto value = static_cast<int32_t>(random.between(INT32_MIN, INT32_MAX));
    const float scale = std::ldexp(1.0F + static_cast<float>(random.between(0, (1 << 23) - 1)) * 0x1p-23F,
                                   static_cast<int>(random.between(-40, 8)));
    const int32_t shifted = value >> random.between(0, 31);
    EXPECT_EQ(by_codelet(shifted, scale), reference::fixed_product(shifted, scale)) << shifted << " * " << scale;
    EXPECT_EQ(by_codelet(shifted, scale), scale < 0.5F ? exact(shifted, scale) : by_codelet(shifted, scale));
  }
}

TEST(FixedScales, LieInVectors) {
  std::vector<uint8_t> scales(33 * 4);
  const float half = 0.5F, quarter = 0.25F;
  std::memcpy(&scales[0], &half, 4);
  std::memcpy(&scales[32 * 4], &quarter, 4);
  const std::vector<uint8_t> fixed = fixed_scales(scales);
  ASSERT_EQ(fixed.size(), 4 * 128U);
  int32_t number = 0;
  std::memcpy(&number, &fixed[0], 4);
  EXPECT_EQ(number, 1 << 30);
  std::memcpy(&number, &fixed[128], 4);
  EXPECT_EQ(number, -1);
  std::memcpy(&number, &fixed[256], 4);
  EXPECT_EQ(number, 1 << 30);
  std::memcpy(&number, &fixed[384], 4);
  EXPECT_EQ(number, 0);
}

}  // namespace
}  // namespace covenant::compiler::vliw
