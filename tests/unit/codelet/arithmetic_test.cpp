// The arithmetic of docs/reference/units/simd_array.md and systolic_array.md, value by value.
#include "compiler/codelet/arithmetic.h"

#include <bit>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <random>

namespace covenant::compiler::codelet {
namespace {

constexpr int32_t kMin = std::numeric_limits<int32_t>::min();
constexpr int32_t kMax = std::numeric_limits<int32_t>::max();

int32_t of(float value) { return std::bit_cast<int32_t>(value); }

int32_t one(Function function, const std::vector<int32_t>& operands, Quantization quantization = {}, bool first = true,
            int32_t before = 0) {
  std::vector<std::span<const int32_t>> spans;
  for (const int32_t& operand : operands) spans.emplace_back(&operand, 1);
  int32_t result = before;
  apply(function, spans, quantization, first, {&result, 1});
  return result;
}

TEST(Arithmetic, IntegersWrap) {
  EXPECT_EQ(one(Function::kAdd, {kMax, 1}), kMin);
  EXPECT_EQ(one(Function::kSub, {kMin, 1}), kMax);
  EXPECT_EQ(one(Function::kMul, {65536, 65536}), 0);
  EXPECT_EQ(one(Function::kMul, {-3, 7}), -21);
  EXPECT_EQ(one(Function::kMax, {-3, 7}), 7);
  EXPECT_EQ(one(Function::kMin, {-3, 7}), -3);
  EXPECT_EQ(one(Function::kMove, {-3}), -3);
}

TEST(Arithmetic, GemmStartsFromTheBiasAndAccumulates) {
  const std::vector<int32_t> x{2, -1};
  const std::vector<int32_t> w{1, 10, 100, -128, 5, 0};  // 2 rows, 3 columns
  const std::vector<int32_t> bias{7, 8, kMax};
  const std::vector<std::span<const int32_t>> operands{x, w, bias};
  std::vector<int32_t> result{9, 9, 9};
  apply(Function::kGemm, operands, {}, true, result);
  EXPECT_EQ(result, (std::vector<int32_t>{7 + 2 + 128, 8 + 20 - 5, kMin + 199}));
  apply(Function::kGemm, operands, {}, false, result);
  EXPECT_EQ(result, (std::vector<int32_t>{137 + 130, 23 + 15, kMin + 399}));
}

/// Rows times columns of the result, and an inner dimension that both operands have.
TEST(Arithmetic, ProductsFitWhereExtentsMultiply) {
  const auto inner = [](size_t x, size_t w, size_t result) { return inner_extent(x, w, result); };
  EXPECT_EQ(inner(4, 8, 8), 2U);   // 2 x 2 by 2 x 4
  EXPECT_EQ(inner(6, 12, 8), 3U);  // 2 x 3 by 3 x 4
  EXPECT_EQ(inner(5, 15, 3), 5U);  // one row
  EXPECT_EQ(inner(4, 8, 16), 0U) << "the square of no whole number";
  EXPECT_EQ(inner(6, 6, 12), 0U) << "the square of no whole number";
  EXPECT_EQ(inner(4, 9, 9), 0U) << "2 do not divide 9";
  EXPECT_EQ(inner(9, 4, 9), 0U) << "2 do not divide 9";
}

TEST(Arithmetic, ReductionsStartAnew) {
  EXPECT_EQ(one(Function::kReduceMax, {-9}, {}, true, 5), -9);
  EXPECT_EQ(one(Function::kReduceMax, {-9}, {}, false, 5), 5);
  EXPECT_EQ(one(Function::kReduceSum, {-9}, {}, true, 5), -9);
  EXPECT_EQ(one(Function::kReduceSum, {kMax}, {}, false, 1), kMin);
}

TEST(Arithmetic, RequantRoundsHalfToEven) {
  const Quantization u8{0, 0, 255};
  EXPECT_EQ(one(Function::kRequant, {1, of(0.5F)}, u8), 0);
  EXPECT_EQ(one(Function::kRequant, {3, of(0.5F)}, u8), 2);
  EXPECT_EQ(one(Function::kRequant, {5, of(0.5F)}, u8), 2);
  EXPECT_EQ(one(Function::kRequant, {-3, of(0.5F)}, {0, -128, 127}), -2);
  EXPECT_EQ(one(Function::kRequant, {-5, of(0.5F)}, {10, -128, 127}), 8);
}

TEST(Arithmetic, RequantClampsBeforeItConverts) {
  EXPECT_EQ(one(Function::kRequant, {kMax, of(1e30F)}, {3, -128, 127}), 127);
  EXPECT_EQ(one(Function::kRequant, {kMin, of(1e30F)}, {3, -128, 127}), -128);
  EXPECT_EQ(one(Function::kRequant, {1000, of(1.0F)}, {3, 10, 200}), 200);
  EXPECT_EQ(one(Function::kRequant, {0, of(std::nanf(""))}, {3, 10, 200}), 10);
  // f32(16777217) is 16777216: half a step that the integer would have made is gone.
  EXPECT_EQ(one(Function::kRequant, {16777217, of(0x1p-24F * 1.5F)}, {0, 0, 255}), 2);
}

TEST(Arithmetic, RequantMulAddsTheZeroPointBeforeItRounds) {
  const auto mul = [](int32_t a, int32_t b, float scale, float offset, int32_t zero_a = 0, int32_t zero_b = 0) {
    return one(Function::kRequantMul, {a, b, of(scale), of(offset), zero_a, zero_b}, {0, -128, 127});
  };
  EXPECT_EQ(mul(1, 5, 0.5F, 1.0F), 4);  // 3.5 to even; 2 and 1 if it were rounded before
  EXPECT_EQ(mul(3, 1, 0.5F, 1.0F), 2);  // 2.5 to even
  EXPECT_EQ(mul(10, 20, 1.0F, 3.0F, 8, 23), -3);
  EXPECT_EQ(mul(127, 127, 1.0F, 0.0F), 127);
  EXPECT_EQ(mul(127, -128, 1.0F, 0.0F), -128);
  EXPECT_EQ(mul(1, 1, std::nanf(""), 0.0F), -128);
}

TEST(Arithmetic, LookupsReadAByteWithoutItsSign) {
  std::vector<int32_t> table(256);
  for (int32_t k = 0; k < 256; ++k) table[static_cast<size_t>(k)] = k < 128 ? k + 1 : k - 300;
  const std::vector<int32_t> x{0, 127, -128, -1, 255};
  const std::vector<std::span<const int32_t>> operands{x, table};
  std::vector<int32_t> result(5);
  apply(Function::kLookup, operands, {}, true, result);
  EXPECT_EQ(result, (std::vector<int32_t>{1, 128, -172, -45, -45}));
}

TEST(Arithmetic, RequantAddFusesBothProducts) {
  const auto add = [](int32_t a, int32_t b, float scale_a, float scale_b, float offset) {
    return one(Function::kRequantAdd, {a, b, of(scale_a), of(scale_b), of(offset)}, {0, -128, 127});
  };
  EXPECT_EQ(add(3, 4, 0.5F, 0.25F, 1.0F), 4);  // 3.5 to even
  EXPECT_EQ(add(3, 4, 0.5F, 0.25F, 0.0F), 2);  // 2.5 to even
  EXPECT_EQ(add(127, 127, 4.0F, 4.0F, 0.0F), 127);
  // The offset takes away the rounded product: what is left is its rounding error, which only a fused product has. On
  // top of one half it decides: 0 (to even) without, 0 or 1 by the error's sign with it.
  std::mt19937_64 random(5);
  int ones = 0;
  for (int i = 0; i < 1000; ++i) {
    const float scale = std::uniform_real_distribution<float>(0.5F, 1.0F)(random);
    const double error = 101.0 * static_cast<double>(scale) - static_cast<double>(101.0F * scale);
    if (std::abs(error) < 1e-7) continue;
    ASSERT_EQ(add(101, 1, scale, 0.5F, -(101.0F * scale)), error > 0 ? 1 : 0);
    ones += error > 0 ? 1 : 0;
  }
  EXPECT_GT(ones, 100);
}

TEST(Arithmetic, ConstantsAreBroadcast) {
  const std::vector<int32_t> a{1, 2, 3};
  const std::vector<int32_t> b{10};
  const std::vector<std::span<const int32_t>> operands{a, b};
  std::vector<int32_t> result(3);
  apply(Function::kSub, operands, {}, true, result);
  EXPECT_EQ(result, (std::vector<int32_t>{-9, -8, -7}));
}

}  // namespace
}  // namespace covenant::compiler::codelet
