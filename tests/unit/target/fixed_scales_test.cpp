// Fixed-point scales: the interpreter of codelets, the reference operators, the constants of machines, a SIMD array
// with these constants and exact arithmetic agree.
#include "compiler/families/fixed_scales.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>

#include "compiler/codelet/arithmetic.h"
#include "compiler/reference/requantize.h"
#include "sim/stream/simd_array/simd_fixed.h"
#include "tests/property/acg/random_source.h"

namespace covenant::compiler {
namespace {

using codelet::Function;

int32_t by_codelet(int32_t value, float scale, int32_t shift, bool half_away = false) {
  const std::array<int32_t, 1> a{value}, s{std::bit_cast<int32_t>(scale)};
  std::array<int32_t, 1> result{};
  const std::array<std::span<const int32_t>, 2> operands{a, s};
  codelet::apply(Function::kRequantFixed, operands, {0, INT16_MIN, INT16_MAX, shift, half_away}, true, result);
  return result[0];
}

int32_t sum_by_codelet(int32_t a, int32_t b, float scale_a, float scale_b, float offset, bool half_away = false) {
  const auto bits = [](float real) { return std::bit_cast<int32_t>(real); };
  const std::array<int32_t, 5> lanes{a, b, bits(scale_a), bits(scale_b), bits(offset)};
  std::array<std::span<const int32_t>, 5> operands;
  for (size_t i = 0; i < lanes.size(); ++i) operands.at(i) = std::span(lanes).subspan(i, 1);
  std::array<int32_t, 1> result{};
  codelet::apply(Function::kRequantAddFixed, operands, {0, INT16_MIN, INT16_MAX, 0, half_away}, true, result);
  return result[0];
}

/// The result of REQUANT_FIXED with one scale, or of REQUANT_ADD_FIXED, on a SIMD array, with the numbers that the
/// compiler has computed.
int32_t by_array(acg::Operation operation, int32_t a, int32_t b, sim::FixedPoint point) {
  point.lowest = INT16_MIN;
  point.highest = INT16_MAX;
  int32_t result = 0;
  sim::apply_fixed(operation, &a, &b, &result, 1, point);
  return result;
}

int32_t to_half(long double value) {
  return static_cast<int32_t>(std::clamp<long double>(value, INT16_MIN, INT16_MAX));
}

/// Twice half up, in floating point of 64 bits, where nothing is lost.
int32_t exact(int32_t value, int32_t fraction, int32_t shift) {
  const long double most = std::ldexp(1.0L, 31 + std::min(shift, 0));
  const long double factor = std::ldexp(std::clamp<long double>(value, -most, most - 1), -std::min(shift, 0));
  const long double product = std::floor(std::ldexp(factor * fraction, -31) + 0.5L);
  return to_half(std::floor(std::ldexp(product, -std::max(shift, 0)) + (shift > 0 ? 0.5L : 0)));
}

/// gemmlowp's multiply, from its definition: a nudge of the product's sign, and a quotient cut towards zero.
int32_t saturating_rounding_doubling_high_mul(int32_t a, int32_t b) {
  if (a == INT32_MIN && b == INT32_MIN) return INT32_MAX;
  const int64_t product = int64_t{a} * b;
  const int64_t nudge = product >= 0 ? 1 << 30 : 1 - (1 << 30);
  return static_cast<int32_t>((product + nudge) / (int64_t{1} << 31));
}

/// gemmlowp's shift, from its definition: by a mask and a threshold that is one more for what is less than 0.
int32_t rounding_divide_by_power_of_two(int32_t value, int32_t exponent) {
  const auto mask = static_cast<int32_t>((int64_t{1} << exponent) - 1);
  const int32_t threshold = (mask >> 1) + (value < 0 ? 1 : 0);
  return (value >> exponent) + ((value & mask) > threshold ? 1 : 0);
}

TEST(FixedScales, AreFractionsOfOneShift) {
  EXPECT_EQ(fraction_of(0.5F, 0), 1 << 30);
  EXPECT_EQ(fraction_of(0.75F, 0), 3 << 29);
  EXPECT_EQ(fraction_of(0.125F, 2), 1 << 30);
  EXPECT_EQ(fraction_of(0.125F, 0), 1 << 28);
  EXPECT_EQ(fraction_of(8.0F, -4), 1 << 30);
  EXPECT_EQ(fraction_of(1.0F, 0), INT32_MAX) << "a greater one has no room";
  EXPECT_EQ(fraction_of(1e-30F, 15), 0);
}

TEST(FixedScales, HalvesRoundUp) {
  EXPECT_EQ(by_codelet(1, 0.5F, 0), 1);
  EXPECT_EQ(by_codelet(-1, 0.5F, 0), 0);
  EXPECT_EQ(by_codelet(3, 0.25F, 1), 1);
  EXPECT_EQ(by_codelet(1 << 20, 0.5F, 0), INT16_MAX);
  EXPECT_EQ(by_codelet(-(1 << 20), 0.5F, 0), INT16_MIN);
}

TEST(FixedScales, ShiftsToTheLeftSaturate) {
  EXPECT_EQ(by_codelet(3, 8.0F, -4), 24);
  EXPECT_EQ(by_codelet(INT32_MAX, 8.0F, -4), INT16_MAX);
  EXPECT_EQ(by_codelet(INT32_MIN, 8.0F, -4), INT16_MIN);
  // Beside a scale of 8 stands one of 2^-20: sums end at 2^27.
  EXPECT_EQ(by_codelet(1 << 27, 0x1p-20F, -4), 128);
  EXPECT_EQ(by_codelet(1 << 30, 0x1p-20F, -4), 128);
  EXPECT_EQ(by_codelet(INT32_MIN, 0x1p-20F, -4), -128);
}

TEST(FixedScales, TheGreatestOneDecides) {
  const auto shift = [](std::initializer_list<float> scales) {
    return reference::fixed_shift(std::vector<float>(scales));
  };
  EXPECT_EQ(shift({0.01F, 0.3F, 0.001F}), 1);
  EXPECT_EQ(shift({0.5F}), 0);
  EXPECT_EQ(shift({3.0F, 0.001F}), -2);
  EXPECT_EQ(shift({1e-9F, 0}), 15) << "no shift is greater";
  EXPECT_EQ(shift({1e9F}), -16) << "no shift is less";
  EXPECT_EQ(shift({0}), 0);
}

TEST(FixedScales, AllSayTheSame) {
  acg::testing::RandomSource random(31);
  for (int i = 0; i < 20'000; ++i) {
    const auto value = static_cast<int32_t>(random.between(INT32_MIN, INT32_MAX)) >> random.between(0, 31);
    const float scale = std::ldexp(1.0F + static_cast<float>(random.between(0, (1 << 23) - 1)) * 0x1p-23F,
                                   static_cast<int>(random.between(-40, 20)));
    const auto shift = static_cast<int32_t>(random.between(-16, 15));
    const int32_t made = by_codelet(value, scale, shift);
    const int32_t fraction = fraction_of(scale, shift);
    SCOPED_TRACE(testing::Message() << value << " * " << scale << ", " << shift);
    EXPECT_EQ(made, to_half(reference::fixed_product(value, scale, shift)));
    EXPECT_EQ(made, exact(value, fraction, shift));
    EXPECT_EQ(made, by_array(acg::Operation::kRequantFixed, value, fraction, {.shift = shift}));
  }
}

/// Sums of any magnitude, both ends of 32 bits, and such that are a half, of either sign, where they are shifted.
TEST(FixedScales, AwayFromZeroAreThoseOfGemmlowp) {
  acg::testing::RandomSource random(35);
  size_t differ = 0;
  for (int i = 0; i < 100'000; ++i) {
    const auto shift = static_cast<int32_t>(random.between(0, 15));
    float scale = std::ldexp(1.0F + static_cast<float>(random.between(0, (1 << 23) - 1)) * 0x1p-23F, -1 - shift);
    auto value = static_cast<int32_t>(random.between(INT32_MIN, INT32_MAX)) >> random.between(0, 31);
    if (i % 100 == 0) value = INT32_MIN;
    if (i % 100 == 1) value = INT32_MAX;
    if (i % 4 == 2) {
      scale = std::ldexp(1.0F, -1 - shift);  // a fraction of 2^30: the product is a half of the sum
      value = static_cast<int32_t>((2 * random.between(-(1 << 14), 1 << 14) + 1) << shift);
    }
    const int32_t fraction = fraction_of(scale, shift);
    const int32_t product = saturating_rounding_doubling_high_mul(value, fraction);
    const int32_t expected = to_half(rounding_divide_by_power_of_two(product, shift));
    SCOPED_TRACE(testing::Message() << value << " * " << scale << ", " << shift);
    ASSERT_EQ(by_codelet(value, scale, shift, true), expected);
    ASSERT_EQ(to_half(reference::fixed_product(value, scale, shift, true)), expected);
    ASSERT_EQ(by_array(acg::Operation::kRequantFixed, value, fraction, {.shift = shift, .half_away = true}), expected);
    if (by_codelet(value, scale, shift) != expected) ++differ;
  }
  EXPECT_GT(differ, 5'000U) << "the negative halves, which would be rounded up otherwise";
}

/// With the shift that suits a scale nothing but the two roundings is lost.
TEST(FixedScales, AreNextToTheRealProduct) {
  acg::testing::RandomSource random(32);
  for (int i = 0; i < 20'000; ++i) {
    const float scale = std::ldexp(1.0F + static_cast<float>(random.between(0, (1 << 23) - 1)) * 0x1p-23F,
                                   static_cast<int>(random.between(-16, 6)));
    const int32_t value = static_cast<int32_t>(random.between(-(1 << 24), 1 << 24)) >> random.between(0, 24);
    const double real = static_cast<double>(value) * static_cast<double>(scale);
    const int32_t made = by_codelet(value, scale, reference::fixed_shift({&scale, 1}));
    if (std::abs(real) < INT16_MAX) {
      EXPECT_LE(std::abs(made - real), 0.5 + 0.51 * std::ldexp(1.0, -reference::fixed_shift({&scale, 1})));
    }
  }
}

TEST(FixedScales, ProductsOfBytesAreExactBeforeThem) {
  acg::testing::RandomSource random(34);
  for (int i = 0; i < 20'000; ++i) {
    const auto byte = [&] { return static_cast<int32_t>(random.between(-128, 255)); };
    const int32_t a = byte(), b = byte(), zero_a = byte(), zero_b = byte();
    const float scale = std::ldexp(1.0F + static_cast<float>(random.between(0, (1 << 23) - 1)) * 0x1p-23F,
                                   static_cast<int>(random.between(-18, 4)));
    const int32_t shift = reference::fixed_shift({&scale, 1});
    const std::array<int32_t, 5> lanes{a, b, std::bit_cast<int32_t>(scale), zero_a, zero_b};
    std::array<std::span<const int32_t>, 5> operands;
    for (size_t k = 0; k < lanes.size(); ++k) operands.at(k) = std::span(lanes).subspan(k, 1);
    std::array<int32_t, 1> made{};
    const auto zero_point = static_cast<int32_t>(random.between(-128, 127));
    codelet::apply(Function::kRequantMulFixed, operands, {zero_point, -128, 127, shift}, true, made);
    const int32_t product = (a - zero_a) * (b - zero_b);
    EXPECT_EQ(made[0], std::clamp(exact(product, fraction_of(scale, shift), shift) + zero_point, -128, 127));
    EXPECT_EQ(made[0], reference::requantize_product(product, scale, {zero_point, -128, 127, true, false, shift}));
  }
}

TEST(FixedSums, HaveTheScalesThatThereIsRoomFor) {
  EXPECT_EQ(fixed_sum(1.0F, 0.5F, 0.0F).shift, 14);
  EXPECT_EQ(fixed_sum(1.0F, 0.5F, 0.0F).scale_a, 1 << 14);
  EXPECT_EQ(fixed_sum(1.0F, 0.5F, 3.0F).offset, (3 << 14) + (1 << 13));
  EXPECT_EQ(fixed_sum(0x1.fffffep-1F, 0.5F, 0.0F).shift, 14) << "rounded up, it has no room any more";
  EXPECT_EQ(fixed_sum(0.001F, 0.01F, 0.0F).shift, 15);
  EXPECT_EQ(fixed_sum(20000.0F, 1.0F, 0.5F).shift, 0);
  EXPECT_EQ(fixed_sum(20000.0F, 1.0F, 0.5F).offset, 0) << "half to even, and nothing to round";
  EXPECT_EQ(fixed_sum(0.25F, 0.5F, 32768.0F).shift, 15);
  EXPECT_EQ(fixed_sum(0.25F, 0.5F, 65535.0F).shift, 14) << "so the offset has room, too";
  EXPECT_EQ(fixed_sum(0.25F, 0.5F, 65535.0F).offset, (65535 << 14) + (1 << 13));
  EXPECT_EQ(fixed_sum(0.25F, 0.5F, 1e12F).offset, 1 << 30) << "of what is greater than that";
}

TEST(FixedSums, AllSayTheSame) {
  acg::testing::RandomSource random(33);
  const auto scale = [&] {
    const auto digits = static_cast<float>(random.between(-(1 << 23), 1 << 23));
    return std::ldexp(digits * 0x1p-23F, static_cast<int>(random.between(-14, 18)));
  };
  for (int i = 0; i < 20'000; ++i) {
    const int32_t least = i % 2 == 0 ? -128 : INT16_MIN, most = i % 2 == 0 ? 255 : UINT16_MAX;
    const auto element = [&] { return static_cast<int32_t>(random.between(least, most)); };
    const int32_t a = element(), b = element();
    const float scale_a = scale(), scale_b = scale(), offset = 256 * scale();
    const FixedSum sum = fixed_sum(scale_a, scale_b, offset);
    const int32_t made = to_half((int64_t{a} * sum.scale_a + int64_t{b} * sum.scale_b + sum.offset) >> sum.shift);
    EXPECT_EQ(made, sum_by_codelet(a, b, scale_a, scale_b, offset));
    EXPECT_EQ(made, to_half(reference::fixed_sum(a, b, scale_a, scale_b, offset)));
    const sim::FixedPoint point{
        .shift = sum.shift, .scale_a = sum.scale_a, .scale_b = sum.scale_b, .offset = sum.offset};
    EXPECT_EQ(made, by_array(acg::Operation::kRequantAddFixed, a, b, point));
    const double real = a * double{scale_a} + b * double{scale_b} + double{offset};
    if (std::abs(scale_a) < 2 && std::abs(scale_b) < 2 && std::abs(offset) < 16384 && std::abs(real) < INT16_MAX) {
      EXPECT_LE(std::abs(made - real), 0.5 + (most + 1) * 0x1p-14) << "half a step, and what the scales lose";
    }
  }
}

/// The zero point stands outside: y - zp is the sum without it, of which the magnitude is rounded half up.
TEST(FixedSums, AwayFromZeroAllSayTheSame) {
  acg::testing::RandomSource random(36);
  size_t differ = 0;
  for (int i = 0; i < 100'000; ++i) {
    const auto byte = [&] { return static_cast<int32_t>(random.between(-128, 255)); };
    // Every other pair of scales are powers of two: their sums are halves often.
    const auto scale = [&](int32_t digits) {
      return std::ldexp(static_cast<float>(digits) * 0x1p-8F, static_cast<int>(random.between(-3, 1)));
    };
    const auto digits = [&] { return i % 2 == 0 ? 256 : static_cast<int32_t>(random.between(128, 256)); };
    const int32_t a = byte(), b = byte();
    const auto zero_point = static_cast<int32_t>(random.between(-100, 100));
    const float scale_a = scale(digits()), scale_b = scale(digits());
    const float offset = reference::add_offset(scale_a, byte(), scale_b, byte(), zero_point);
    const FixedSum sum = fixed_sum(scale_a, scale_b, offset - static_cast<float>(zero_point), true);
    const int64_t exact = int64_t{a} * sum.scale_a + int64_t{b} * sum.scale_b + sum.offset;
    const int64_t unit = int64_t{1} << sum.shift;
    const int64_t magnitude = (2 * std::abs(exact) + unit) / (2 * unit);
    const int32_t expected = static_cast<int32_t>(exact < 0 ? -magnitude : magnitude);
    ASSERT_EQ(sum_by_codelet(a, b, scale_a, scale_b, offset - static_cast<float>(zero_point), true), expected);
    sim::FixedPoint point{.shift = sum.shift, .scale_a = sum.scale_a, .scale_b = sum.scale_b, .offset = sum.offset};
    point.half_away = true;
    point.zero_point = zero_point;
    ASSERT_EQ(by_array(acg::Operation::kRequantAddFixed, a, b, point), expected + zero_point);
    const reference::Limits limits{zero_point, INT16_MIN, INT16_MAX, true, true, 0};
    ASSERT_EQ(reference::requantize_add(a, b, scale_a, scale_b, offset, limits), expected + zero_point);
    const reference::Limits up{zero_point, INT16_MIN, INT16_MAX, true, false, 0};
    if (reference::requantize_add(a, b, scale_a, scale_b, offset, up) != expected + zero_point) ++differ;
  }
  EXPECT_GT(differ, 1'000U) << "halves, which would be rounded up otherwise";
}

TEST(FixedScales, LieInVectors) {
  std::vector<uint8_t> scales(33 * 4);
  const float half = 0.5F, quarter = 0.25F;
  std::memcpy(&scales[0], &half, 4);
  std::memcpy(&scales[32 * 4], &quarter, 4);
  const std::vector<uint8_t> fractions = fractions_of(scales, 0, 32);
  ASSERT_EQ(fractions.size(), 2 * 128U);
  const auto number = [&](size_t at) {
    int32_t result = 0;
    std::memcpy(&result, &fractions[4 * at], 4);
    return result;
  };
  EXPECT_EQ(number(0), 1 << 30);
  EXPECT_EQ(number(1), 0);
  EXPECT_EQ(number(32), 1 << 29);
  EXPECT_EQ(fractions_of(scales, 0).size(), scales.size());
}

}  // namespace
}  // namespace covenant::compiler
