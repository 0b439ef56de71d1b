#include "compiler/reference/requantize.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

namespace covenant::compiler::reference {
namespace {

constexpr Limits kSigned{-3, -128, 127};
constexpr Limits kUnsigned{10, 0, 255};

TEST(Requantize, RoundsHalfToEven) {
  EXPECT_EQ(requantize(1, 0.5F, kUnsigned), 10);
  EXPECT_EQ(requantize(3, 0.5F, kUnsigned), 12);
  EXPECT_EQ(requantize(5, 0.5F, kUnsigned), 12);
  EXPECT_EQ(requantize(-1, 0.5F, kUnsigned), 10);
  EXPECT_EQ(requantize(-3, 0.5F, kUnsigned), 8);
}

TEST(Requantize, SaturatesBeforeItConverts) {
  EXPECT_EQ(requantize(std::numeric_limits<int32_t>::max(), 1e20F, kSigned), 127);
  EXPECT_EQ(requantize(std::numeric_limits<int32_t>::min(), 1e20F, kSigned), -128);
  EXPECT_EQ(store(std::numeric_limits<float>::infinity(), kSigned), 127);
  EXPECT_EQ(store(std::nanf(""), kSigned), -128);
  EXPECT_EQ(store(244.6F, kUnsigned), 255);
  EXPECT_EQ(store(-10.4F, kUnsigned), 0);
}

TEST(Requantize, RoundsTheAccumulatorToF32First) {
  // 2^24 + 1 is no f32: it rounds to 2^24, so the product is exactly 1.
  EXPECT_EQ(requantize((1 << 24) + 1, std::ldexp(1.0F, -24), {0, -128, 127}), 1);
}

TEST(Requantize, ClampsToTheActivation) {
  EXPECT_EQ(requantize(-50, 1.0F, {10, 10, 200}), 10);
  EXPECT_EQ(requantize(250, 1.0F, {10, 10, 200}), 200);
}

TEST(RequantizeAdd, FusesProductsAndSums) {
  // a * scale_a = 1 + 2^-23 + 2^-24 (rounded: 1 + 2^-22); b * scale_b - that difference shows which one was rounded.
  const float scale_a = 1.0F + std::ldexp(1.0F, -23);
  const float fused = std::fma(3.0F, scale_a, -3.5F);
  EXPECT_EQ(requantize_add(3, 0, scale_a, 1.0F, -3.5F, {0, -128, 127}), static_cast<int32_t>(std::nearbyint(fused)));
  EXPECT_EQ(requantize_add(200, 100, 0.5F, 0.25F, 3.0F, {99, 0, 255}), 128);  // the zero point is in the offset only
  EXPECT_EQ(requantize_add(255, 255, 1.0F, 1.0F, 0.0F, {0, 0, 255}), 255);
}

TEST(RequantizeAdd, RoundsEachFusedSumOnce) {
  // 65 * scale = 2^-25 + 2^-55: with 1/2 just above the middle of two f32, where a rounding to double first ends.
  const float scale = std::ldexp(16519105.0F, -55);
  EXPECT_EQ(requantize_add(65, 0, scale, 1.0F, 0.5F, {0, -128, 127}), 1);
  EXPECT_EQ(requantize_add(0, 65, 1.0F, scale, 0.5F, {0, -128, 127}), 1);
}

TEST(RequantizeAdd, OffsetRoundsOncePerOperation) {
  const float scale_a = 0.1F;
  const float scale_b = 0.3F;
  const float part = scale_a * 7.0F;
  EXPECT_EQ(add_offset(scale_a, 7, scale_b, 131, 20), 20.0F - std::fma(scale_b, 131.0F, part));
}

TEST(ProductScale, RoundsTwice) {
  const float product = 0.1F * 0.3F;
  EXPECT_EQ(product_scale(0.1F, 0.3F, 0.7F), product / 0.7F);
}

}  // namespace
}  // namespace covenant::compiler::reference
