/// Fixed point of the SIMD array beside exact arithmetic: quotients of numbers of 128 bits, rounded by their
/// remainders.
#include "sim/stream/simd_array/simd_fixed.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace covenant::sim {
namespace {

using acg::Operation;

__extension__ using Wide = __int128;

/// value / 2^bits, to the nearest, halves up.
Wide half_up(Wide value, int bits) {
  const Wide divisor = Wide{1} << bits;
  Wide quotient = value / divisor;
  Wide rest = value % divisor;
  if (rest < 0) {
    rest += divisor;
    --quotient;
  }
  return 2 * rest >= divisor ? quotient + 1 : quotient;
}

/// Halves away from zero: of magnitudes, up.
Wide half_away(Wide value, int bits) { return value < 0 ? -half_up(-value, bits) : half_up(value, bits); }

int32_t expected_scaled(int32_t value, int32_t fraction, const FixedPoint& point) {
  Wide factor = value;
  for (int32_t shift = point.shift; shift < 0; ++shift) factor *= 2;
  if (point.shift < 0) {  // cut to what has room: a multiple of the unit that it is shifted by
    const Wide unit = Wide{1} << -point.shift;
    const Wide most = (Wide{INT32_MAX} / unit) * unit, least = Wide{INT32_MIN};
    factor = std::min(most, std::max(least, factor));
  }
  Wide result = half_up(factor * fraction, 31);
  if (point.shift > 0) result = point.half_away ? half_away(result, point.shift) : half_up(result, point.shift);
  result += point.zero_point;
  return static_cast<int32_t>(std::min<Wide>(point.highest, std::max<Wide>(point.lowest, result)));
}

struct Limits {
  int32_t zero_point, lowest, highest;
};
constexpr Limits kLimits[] = {{0, -8, 7},    {3, 0, 15},         {0, -128, 127},    {-128, -128, 127},
                              {200, 0, 255}, {5, -32768, 32767}, {65535, 0, 65535}, {-32768, -32768, 32767}};

class Draw {
 public:
  explicit Draw(uint32_t seed) : random_(seed) {}
  int32_t between(int64_t least, int64_t most) { return static_cast<int32_t>(least + random_() % (most - least + 1)); }
  /// A number of any magnitude.
  int32_t number() { return static_cast<int32_t>(static_cast<uint32_t>(random_())) >> random_() % 32; }
  FixedPoint point() {
    const Limits& limits = kLimits[random_() % std::size(kLimits)];
    FixedPoint result;
    result.zero_point = limits.zero_point;
    result.lowest = limits.lowest;
    result.highest = limits.highest;
    result.shift = between(-16, 15);
    result.half_away = between(0, 1) == 1;
    return result;
  }

 private:
  std::mt19937_64 random_;
};

int32_t one(Operation operation, int32_t a, int32_t b, const FixedPoint& point) {
  int32_t result = 0;
  apply_fixed(operation, &a, &b, &result, 1, point);
  return result;
}

TEST(SimdFixed, SumsTimesFractions) {
  Draw draw(41);
  for (int i = 0; i < 100'000; ++i) {
    const FixedPoint point = draw.point();
    const int32_t value = i % 50 == 0 ? INT32_MIN : i % 50 == 1 ? INT32_MAX : draw.number();
    const int32_t fraction = i % 70 == 0 ? INT32_MIN : i % 70 == 1 ? INT32_MAX : draw.number();
    ASSERT_EQ(one(Operation::kRequantFixed, value, fraction, point), expected_scaled(value, fraction, point))
        << value << " * " << fraction << " >> " << point.shift;
  }
}

TEST(SimdFixed, ProductsOfElements) {
  Draw draw(42);
  for (int i = 0; i < 100'000; ++i) {
    FixedPoint point = draw.point();
    point.scale_a = draw.number();
    point.zero_a = i % 9 == 0 ? draw.number() : draw.between(-128, 255);
    point.zero_b = draw.between(-32768, 65535);
    const int32_t a = draw.between(-32768, 65535), b = draw.between(-128, 255);
    const Wide product = (Wide{a} - point.zero_a) * (Wide{b} - point.zero_b);
    const auto wrapped = static_cast<int32_t>(static_cast<uint32_t>(static_cast<uint64_t>(product)));
    ASSERT_EQ(one(Operation::kRequantMulFixed, a, b, point), expected_scaled(wrapped, point.scale_a, point));
  }
}

TEST(SimdFixed, SumsOfElements) {
  Draw draw(43);
  for (int i = 0; i < 100'000; ++i) {
    FixedPoint point = draw.point();
    point.shift = draw.between(0, 15);
    point.scale_a = draw.between(INT16_MIN, INT16_MAX);
    point.scale_b = draw.between(INT16_MIN, INT16_MAX);
    point.offset = draw.number();
    const int32_t a = draw.between(-32768, 65535), b = draw.between(-32768, 65535);
    const Wide sum = Wide{a} * point.scale_a + Wide{b} * point.scale_b + point.offset;
    const Wide unit = Wide{1} << point.shift;
    Wide down = sum >= 0 ? sum / unit : -((-sum + unit - 1) / unit);
    if (point.half_away) down = half_away(sum, point.shift) + point.zero_point;
    const auto expected = static_cast<int32_t>(std::min<Wide>(point.highest, std::max<Wide>(point.lowest, down)));
    ASSERT_EQ(one(Operation::kRequantAddFixed, a, b, point), expected) << a << ", " << b << " >> " << point.shift;
  }
}

TEST(SimdFixed, HalvesRoundUpTwice) {
  const FixedPoint whole{.lowest = -128, .highest = 127};
  EXPECT_EQ(one(Operation::kRequantFixed, 1, 1 << 30, whole), 1);
  EXPECT_EQ(one(Operation::kRequantFixed, -1, 1 << 30, whole), 0);
  EXPECT_EQ(one(Operation::kRequantFixed, -3, 1 << 30, whole), -1);
  const FixedPoint half{.shift = 1, .lowest = -128, .highest = 127};
  EXPECT_EQ(one(Operation::kRequantFixed, 1, 1 << 30, half), 1) << "a quarter is a half first";
}

/// The zero point stands outside of what is rounded: it does not turn a half around.
TEST(SimdFixed, HalvesAwayFromZero) {
  const FixedPoint half{.shift = 1, .zero_point = 10, .lowest = -128, .highest = 127, .half_away = true};
  const auto of_sum = [&](int32_t value) { return one(Operation::kRequantFixed, value, INT32_MAX, half) - 10; };
  EXPECT_EQ(of_sum(3), 2);
  EXPECT_EQ(of_sum(-3), -2);
  EXPECT_EQ(of_sum(-1), -1);
  EXPECT_EQ(of_sum(-2), -1);
  FixedPoint sum = half;
  sum.scale_a = 1;
  EXPECT_EQ(one(Operation::kRequantAddFixed, -3, 0, sum), 8);
  EXPECT_EQ(one(Operation::kRequantAddFixed, 3, 0, sum), 12);
  sum.half_away = false;
  sum.offset = 1;
  EXPECT_EQ(one(Operation::kRequantAddFixed, -3, 0, sum), -1) << "no zero point, and up";
}

TEST(SimdFixed, ImmediatesHaveAsManyBitsAsThePageSays) {
  std::vector<uint32_t> slots{0xABCD8001, 0x12347FFF, 0x80000000, 0xFFFFFFF5};
  const auto immediate = [&](uint32_t slot) { return slots.at(slot); };
  const FixedPoint sum = fixed_point(Operation::kRequantAddFixed, immediate);
  EXPECT_EQ(sum.scale_a, -32767);
  EXPECT_EQ(sum.scale_b, 32767);
  EXPECT_EQ(sum.offset, INT32_MIN);
  EXPECT_EQ(sum.shift, 5);
  const FixedPoint product = fixed_point(Operation::kRequantMulFixed, immediate);
  EXPECT_EQ(product.scale_a, static_cast<int32_t>(0xABCD8001));
  EXPECT_EQ(product.shift, -1);
  EXPECT_EQ(product.zero_a, INT32_MIN);
  EXPECT_EQ(product.zero_b, -11);
  EXPECT_EQ(fixed_point(Operation::kRequantFixed, immediate).shift, 1);
  slots[0] = 0x10;
  EXPECT_EQ(fixed_point(Operation::kRequantFixed, immediate).shift, -16);
}

}  // namespace
}  // namespace covenant::sim
