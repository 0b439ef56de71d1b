#include "sim/stream/simd_array/simd_real.h"

#include <bit>
#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <vector>

namespace covenant::sim {
namespace {

using acg::Operation;
using acg::SimdType;

constexpr int32_t kQuietNan = 0x7FC00000;

int32_t bits(float value) { return std::isnan(value) ? kQuietNan : std::bit_cast<int32_t>(value); }
float real(int32_t value) { return std::bit_cast<float>(value); }

/// Any bits, numbers near each other, and what rounding and division stumble over.
std::vector<int32_t> numbers(std::mt19937_64& random, size_t count) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const std::vector<float> edges{0.0F,       -0.0F,          1.0F,      -1.0F,     kInfinity,
                                 -kInfinity, std::nanf("7"), 0x1p-149F, 0x1p-126F, 0x1.fffffep127F,
                                 0.5F,       3.0F,           -2.5F};
  std::vector<int32_t> result;
  for (size_t k = 0; k < count; ++k) {
    const uint64_t draw = random();
    switch (draw % 3) {
      case 0:
        result.push_back(static_cast<int32_t>(draw >> 20U));
        break;
      case 1:
        result.push_back(std::bit_cast<int32_t>(edges[(draw >> 20U) % edges.size()]));
        break;
      default:
        result.push_back(
            std::bit_cast<int32_t>(static_cast<float>(static_cast<int64_t>(draw >> 40U) - 8'000'000) * 0x1p-9F));
    }
  }
  return result;
}

/// In double precision every result is so near that rounding it again gives the f32 that is nearest (Figueroa, "When is
/// double rounding innocuous?").
TEST(SimdReal, ResultsAreTheNearestNumbers) {
  struct Row {
    Operation operation;
    std::function<double(double, double)> meaning;
  };
  const std::vector<Row> rows{{Operation::kAdd, [](double a, double b) { return a + b; }},
                              {Operation::kSub, [](double a, double b) { return a - b; }},
                              {Operation::kMul, [](double a, double b) { return a * b; }},
                              {Operation::kDiv, [](double a, double b) { return a / b; }},
                              {Operation::kMax, [](double a, double b) { return a < b ? b : a; }},
                              {Operation::kMin, [](double a, double b) { return b < a ? b : a; }},
                              {Operation::kSqrt, [](double a, double) { return std::sqrt(a); }}};
  std::mt19937_64 random(11);
  const std::vector<int32_t> a = numbers(random, 20'000);
  const std::vector<int32_t> b = numbers(random, 20'000);
  std::vector<int32_t> out(a.size());
  for (const Row& row : rows) {
    apply_real(row.operation, SimdType::kF32, a.data(), b.data(), out.data(), out.size(), {});
    for (size_t k = 0; k < out.size(); ++k) {
      const auto expected = static_cast<float>(row.meaning(real(a[k]), real(b[k])));
      ASSERT_EQ(out[k], bits(expected)) << acg::info(row.operation).name << " " << real(a[k]) << " " << real(b[k]);
    }
  }
}

TEST(SimdReal, IntegersBecomeTheNearestNumbers) {
  const std::vector<int32_t> a{0, 1, -1, 16'777'217, -16'777'219, INT32_MAX, INT32_MIN};
  std::vector<int32_t> out(a.size());
  apply_real(Operation::kMove, SimdType::kI32, a.data(), a.data(), out.data(), out.size(), {});
  for (size_t k = 0; k < a.size(); ++k) EXPECT_EQ(out[k], bits(static_cast<float>(static_cast<double>(a[k])))) << a[k];
  const std::vector<int32_t> nan{0x7F800001};
  apply_real(Operation::kMove, SimdType::kF32, nan.data(), nan.data(), out.data(), 1, {});
  EXPECT_EQ(out[0], nan[0]) << "f32 moves as it is";
}

TEST(SimdReal, EveryByteIsDequantized) {
  Requantization r;
  r.scale_a = 0.017F;
  r.zero_a = -7;
  std::vector<int32_t> a, out(384);
  for (int32_t k = -128; k < 256; ++k) a.push_back(k);
  apply_real(Operation::kDequantize, SimdType::kI8, a.data(), a.data(), out.data(), out.size(), r);
  for (size_t k = 0; k < a.size(); ++k) {
    EXPECT_EQ(out[k], bits(static_cast<float>(static_cast<double>(a[k] + 7) * static_cast<double>(0.017F)))) << a[k];
  }
}

TEST(SimdReal, QuotientsAreRoundedBeforeAndAfterTheOffset) {
  Requantization r;
  r.lowest = -128;
  r.highest = 127;
  const auto quantized = [&](float a, float b) {
    const int32_t x = std::bit_cast<int32_t>(a);
    const int32_t y = std::bit_cast<int32_t>(b);
    int32_t out = 0;
    apply_real(Operation::kQuantize, SimdType::kF32, &x, &y, &out, 1, r);
    return out;
  };
  EXPECT_EQ(quantized(2.5F, 1.0F), 2);
  EXPECT_EQ(quantized(-3.5F, 1.0F), -4);
  r.offset = 1.0F;
  EXPECT_EQ(quantized(2.5F, 1.0F), 4) << "the tie is that of 3.5";
  r.offset = 0.0F;
  r.zero_point = 1.0F;
  EXPECT_EQ(quantized(2.5F, 1.0F), 3) << "the zero point comes after rounding";
  EXPECT_EQ(quantized(1.0F, 0.0F), 127);
  EXPECT_EQ(quantized(-1.0F, 0.0F), -128);
  EXPECT_EQ(quantized(0.0F, 0.0F), -128) << "no number";
}

TEST(SimdReal, SumsAreMadeOneAfterTheOther) {
  const float large = 0x1p24F;
  std::vector<int32_t> sum{0};
  const auto add = [&](float value, bool is_first) {
    const int32_t x = std::bit_cast<int32_t>(value);
    reduce_real(Operation::kReduceSum, &x, sum.data(), 1, is_first, {});
  };
  add(large, true);
  add(1.0F, false);
  add(1.0F, false);
  EXPECT_EQ(real(sum[0]), large) << "each half is lost";
  add(1.0F, true);
  add(1.0F, false);
  add(large, false);
  EXPECT_EQ(real(sum[0]), large + 2.0F);
}

TEST(SimdReal, DequantizedSumsRoundEachProduct) {
  Requantization r;
  r.scale_a = 0.1F;
  r.zero_a = 3;
  float expected = 0;
  int32_t sum = 0;
  for (int32_t k = 0; k < 100; ++k) {
    reduce_real(Operation::kDequantizeSum, &k, &sum, 1, k == 0, r);
    const auto product = static_cast<float>(static_cast<double>(k - 3) * static_cast<double>(0.1F));
    expected = k == 0 ? product : static_cast<float>(static_cast<double>(expected) + static_cast<double>(product));
  }
  EXPECT_EQ(sum, bits(expected));
}

}  // namespace
}  // namespace covenant::sim
