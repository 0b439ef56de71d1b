#include "sim/stream/simd_array/simd_arithmetic.h"

#include <bit>
#include <cfenv>
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

int32_t extended(SimdType type, uint32_t byte) {
  return type == SimdType::kI8 ? static_cast<int8_t>(byte) : static_cast<int32_t>(byte);
}

int32_t wrapped(int64_t value) { return static_cast<int32_t>(static_cast<uint32_t>(static_cast<uint64_t>(value))); }

TEST(SimdArithmetic, EveryPairOfBytesOfEverySignedness) {
  struct Row {
    Operation operation;
    std::function<int64_t(int64_t, int64_t)> meaning;
  };
  const std::vector<Row> rows{{Operation::kAdd, [](int64_t a, int64_t b) { return a + b; }},
                              {Operation::kSub, [](int64_t a, int64_t b) { return a - b; }},
                              {Operation::kMul, [](int64_t a, int64_t b) { return a * b; }},
                              {Operation::kMax, [](int64_t a, int64_t b) { return a > b ? a : b; }},
                              {Operation::kMin, [](int64_t a, int64_t b) { return a < b ? a : b; }},
                              {Operation::kMove, [](int64_t a, int64_t) { return a; }}};
  for (SimdType first : {SimdType::kI8, SimdType::kU8}) {
    for (SimdType second : {SimdType::kI8, SimdType::kU8}) {
      std::vector<uint8_t> a_bytes, b_bytes;
      for (uint32_t a = 0; a < 256; ++a) {
        for (uint32_t b = 0; b < 256; ++b) {
          a_bytes.push_back(static_cast<uint8_t>(a));
          b_bytes.push_back(static_cast<uint8_t>(b));
        }
      }
      std::vector<int32_t> a(65536), b(65536), out(65536);
      load_lanes(first, a_bytes.data(), a.data(), a.size());
      load_lanes(second, b_bytes.data(), b.data(), b.size());
      for (const Row& row : rows) {
        apply(row.operation, a.data(), b.data(), out.data(), out.size(), {});
        std::vector<uint8_t> stored(65536);
        store_lanes(SimdType::kU8, out.data(), stored.data(), stored.size());
        for (uint32_t k = 0; k < 65536; ++k) {
          const int64_t expected = row.meaning(extended(first, k >> 8U), extended(second, k & 255U));
          ASSERT_EQ(out[k], wrapped(expected)) << acg::info(row.operation).name << " " << k;
          ASSERT_EQ(stored[k], static_cast<uint8_t>(expected));
        }
      }
    }
  }
}

TEST(SimdArithmetic, WordsWrap) {
  const std::vector<int32_t> edge{INT32_MIN, INT32_MIN + 1, -65536, -1, 0, 1, 65536, INT32_MAX - 1, INT32_MAX};
  for (int32_t a : edge) {
    for (int32_t b : edge) {
      int32_t out = 0;
      apply(Operation::kAdd, &a, &b, &out, 1, {});
      EXPECT_EQ(out, wrapped(int64_t{a} + b));
      apply(Operation::kSub, &a, &b, &out, 1, {});
      EXPECT_EQ(out, wrapped(int64_t{a} - b));
      apply(Operation::kMul, &a, &b, &out, 1, {});
      EXPECT_EQ(out, wrapped(int64_t{a} * b));
      apply(Operation::kMax, &a, &b, &out, 1, {});
      EXPECT_EQ(out, std::max(a, b));
      apply(Operation::kMin, &a, &b, &out, 1, {});
      EXPECT_EQ(out, std::min(a, b));
    }
  }
}

TEST(SimdArithmetic, Reductions) {
  std::vector<int32_t> sum{INT32_MAX, -5, 7};
  const std::vector<int32_t> a{1, -6, 9};
  reduce(Operation::kReduceSum, a.data(), sum.data(), 3);
  EXPECT_EQ(sum, (std::vector<int32_t>{INT32_MIN, -11, 16}));
  sum = {1, -5, 7};
  reduce(Operation::kReduceMax, a.data(), sum.data(), 3);
  EXPECT_EQ(sum, (std::vector<int32_t>{1, -5, 9}));
}

/// Nearest float to an exact integer quotient of powers of two: every step here is exact in long double (64-bit
/// mantissa), so that one rounding to float is the only one.
float rounded_product(float a, float b) { return static_cast<float>(static_cast<long double>(a) * b); }

int32_t half_even(long double value) {
  const long double down = std::floor(value);
  const long double rest = value - down;
  long double nearest = rest > 0.5L ? down + 1 : down;
  if (rest == 0.5L) nearest = std::fmod(down, 2.0L) == 0 ? down : down + 1;
  return static_cast<int32_t>(std::min(1e9L, std::max(-1e9L, nearest)));
}

int32_t expected_requant(int32_t acc, float scale, int32_t zero_point, int32_t lowest, int32_t highest) {
  const float rounded = static_cast<float>(static_cast<long double>(acc));
  const int32_t value = half_even(rounded_product(rounded, scale)) + zero_point;
  return std::min(highest, std::max(lowest, value));
}

TEST(SimdArithmetic, RequantAgreesWithAnIndependentFormula) {
  std::mt19937 random(11);
  std::vector<int32_t> acc, scale_bits;
  for (int k = 0; k < 200000; ++k) {
    const int shift = static_cast<int>(random() % 32);
    acc.push_back(static_cast<int32_t>(random()) >> shift);
    const float scale =
        std::ldexp(1.0F + static_cast<float>(random() % (1U << 23U)) / (1U << 23U), -static_cast<int>(random() % 30));
    scale_bits.push_back(std::bit_cast<int32_t>(scale));
  }
  for (int32_t k = -600; k < 600; ++k) {  // every tie that halving and quartering make
    acc.insert(acc.end(), {k, k});
    scale_bits.insert(scale_bits.end(), {std::bit_cast<int32_t>(0.5F), std::bit_cast<int32_t>(0.25F)});
  }
  std::vector<int32_t> out(acc.size());
  struct Case {
    int32_t zero_point, lowest, highest;
  };
  for (const Case& c : {Case{0, -128, 127}, Case{-128, -128, 127}, Case{3, 0, 255}, Case{128, 128, 255}}) {
    Requantization r;
    r.zero_point = static_cast<float>(c.zero_point);
    r.lowest = static_cast<float>(c.lowest);
    r.highest = static_cast<float>(c.highest);
    apply(Operation::kRequant, acc.data(), scale_bits.data(), out.data(), out.size(), r);
    for (size_t k = 0; k < out.size(); ++k) {
      const float scale = std::bit_cast<float>(scale_bits[k]);
      ASSERT_EQ(out[k], expected_requant(acc[k], scale, c.zero_point, c.lowest, c.highest))
          << acc[k] << " * " << scale << " + " << c.zero_point;
    }
  }
}

TEST(SimdArithmetic, RequantOfExtremesSaturates) {
  Requantization r;
  r.lowest = -128;
  r.highest = 127;
  const auto one = [&r](int32_t acc, float scale) {
    int32_t out = 0;
    const auto bits = std::bit_cast<int32_t>(scale);
    apply(Operation::kRequant, &acc, &bits, &out, 1, r);
    return out;
  };
  EXPECT_EQ(one(INT32_MAX, 1e30F), 127);
  EXPECT_EQ(one(INT32_MIN, 1e30F), -128);
  EXPECT_EQ(one(1, std::numeric_limits<float>::infinity()), 127);
  EXPECT_EQ(one(0, std::numeric_limits<float>::infinity()), -128);  // NaN
  EXPECT_EQ(one(5, std::numeric_limits<float>::quiet_NaN()), -128);
  EXPECT_EQ(one(INT32_MAX, std::numeric_limits<float>::denorm_min()), 0);
}

/// fma in exact integers: float(a) and the scales are small dyadic numbers here, so products and sums are exact in
/// long double and one rounding remains per fma.
TEST(SimdArithmetic, RequantAddOverAllPairsOfBytes) {
  std::vector<int32_t> a, b, out(65536);
  for (int32_t k = 0; k < 65536; ++k) {
    a.push_back(k / 256);
    b.push_back(static_cast<int8_t>(k % 256));
  }
  std::mt19937 random(21);
  for (int trial = 0; trial < 40; ++trial) {
    const auto scale = [&random] {
      return std::ldexp(static_cast<float>(1 + random() % 0xFFFFFF), -24 - static_cast<int>(random() % 3));
    };
    Requantization r;
    r.lowest = 0;
    r.highest = 255;
    r.scale_a = trial == 0 ? 0.5F : scale();
    r.scale_b = trial == 0 ? 0.25F : scale();
    r.offset = trial == 0 ? 10.0F : std::ldexp(static_cast<float>(static_cast<int32_t>(random() % 0xFFFFFF)), -20);
    apply(Operation::kRequantAdd, a.data(), b.data(), out.data(), out.size(), r);
    for (size_t k = 0; k < out.size(); ++k) {
      const auto first = static_cast<float>(static_cast<long double>(a[k]) * r.scale_a + r.offset);
      const auto second = static_cast<float>(static_cast<long double>(b[k]) * r.scale_b + first);
      ASSERT_EQ(out[k], std::min(255, std::max(0, half_even(second)))) << "trial " << trial << " pair " << k;
    }
  }
}

/// The product of the bytes is exact; with the scale it is rounded to float, then its sum with the offset.
TEST(SimdArithmetic, RequantMulOverAllPairsOfBytes) {
  std::vector<int32_t> a, b, out(65536);
  for (int32_t k = 0; k < 65536; ++k) {
    a.push_back(k / 256);
    b.push_back(static_cast<int8_t>(k % 256));
  }
  std::mt19937 random(22);
  for (int trial = 0; trial < 40; ++trial) {
    Requantization r;
    r.lowest = trial % 2 == 0 ? -128 : 3;
    r.highest = 127;
    r.scale_a = trial == 0 ? 0x1p-9F : std::ldexp(static_cast<float>(1 + random() % 0xFFFFFF), -32);
    r.offset = static_cast<float>(static_cast<int32_t>(random() % 256) - 128);
    r.zero_a = static_cast<int32_t>(random() % 256);
    r.zero_b = static_cast<int32_t>(random() % 256) - 128;
    apply(Operation::kRequantMul, a.data(), b.data(), out.data(), out.size(), r);
    for (size_t k = 0; k < out.size(); ++k) {
      const auto product = static_cast<float>((a[k] - r.zero_a) * (b[k] - r.zero_b));
      const auto sum = static_cast<float>(static_cast<long double>(rounded_product(product, r.scale_a)) + r.offset);
      const auto lowest = static_cast<int32_t>(r.lowest);
      ASSERT_EQ(out[k], std::min(127, std::max(lowest, half_even(sum)))) << "trial " << trial << " pair " << k;
    }
  }
}

/// 1.5 - 2^-24 of a step and 1/2: fused it stays below the tie, rounded one by one it is the tie, which goes to even.
TEST(SimdArithmetic, RequantMulRoundsTheProductBeforeTheSum) {
  Requantization r;
  r.lowest = -128;
  r.highest = 127;
  r.scale_a = 0x1.000002p0F / 3;
  const std::vector<int32_t> a{3}, b{1};
  std::vector<int32_t> out(1);
  const float product = 3.0F * r.scale_a;
  for (const float offset : {0.5F, 1.5F, -0.5F, 2.5F}) {
    r.offset = offset;
    apply(Operation::kRequantMul, a.data(), b.data(), out.data(), 1, r);
    EXPECT_EQ(out[0], half_even(static_cast<float>(static_cast<long double>(product) + offset))) << offset;
  }
}

TEST(SimdArithmetic, LookupsReadAByteWithoutItsSign) {
  Table table(1024);
  for (size_t k = 0; k < table.size(); ++k) table[k] = static_cast<uint8_t>(7 * k + 3 + k / 256);
  std::vector<int32_t> a, out(512);
  for (int32_t k = -256; k < 256; ++k) a.push_back(k);
  look_up(table, acg::SimdType::kU8, acg::SimdType::kI8, a.data(), out.data(), out.size());
  for (size_t k = 0; k < out.size(); ++k) EXPECT_EQ(out[k], table[static_cast<uint8_t>(a[k])]) << a[k];
  look_up(table, acg::SimdType::kF32, acg::SimdType::kI8, a.data(), out.data(), out.size());
  for (size_t k = 0; k < out.size(); ++k) {
    const uint8_t* entry = &table[size_t{4} * static_cast<uint8_t>(a[k])];
    EXPECT_EQ(out[k], static_cast<int32_t>(entry[0] | entry[1] << 8 | entry[2] << 16 | uint32_t{entry[3]} << 24))
        << a[k];
  }
}

TEST(SimdArithmetic, LookupsOfFourBitsHaveSixteenEntries) {
  Table table(16);
  for (size_t k = 0; k < table.size(); ++k) table[k] = static_cast<uint8_t>(7 * k + 3);
  std::vector<int32_t> a, out(16);
  for (int32_t k = -8; k < 8; ++k) a.push_back(k);
  look_up(table, acg::SimdType::kI4, acg::SimdType::kI4, a.data(), out.data(), out.size());
  for (size_t k = 0; k < out.size(); ++k) EXPECT_EQ(out[k], table[static_cast<uint32_t>(a[k]) % 16]) << a[k];
}

TEST(SimdArithmetic, ElementsOfEveryWidthComeBackFromMemory) {
  struct Row {
    SimdType type;
    int32_t least, most;
    size_t bytes;  ///< bytes of two elements
  };
  for (const Row& row :
       {Row{SimdType::kI4, -8, 7, 1}, Row{SimdType::kU4, 0, 15, 1}, Row{SimdType::kI8, -128, 127, 2},
        Row{SimdType::kU8, 0, 255, 2}, Row{SimdType::kI16, -32768, 32767, 4}, Row{SimdType::kU16, 0, 65535, 4}}) {
    EXPECT_EQ(bits_of(row.type) * 2, row.bytes * 8);
    std::vector<int32_t> values;
    for (int32_t value = row.least; value <= row.most; ++value) values.push_back(value);
    std::vector<uint8_t> stored(values.size() / 2 * row.bytes);
    store_lanes(row.type, values.data(), stored.data(), values.size());
    std::vector<int32_t> loaded(values.size());
    load_lanes(row.type, stored.data(), loaded.data(), loaded.size());
    EXPECT_EQ(loaded, values) << static_cast<int>(row.type);
    // Bits above the element are cut off.
    for (int32_t& value : values) value += 0x50000;
    std::vector<uint8_t> cut(stored.size());
    store_lanes(row.type, values.data(), cut.data(), values.size());
    EXPECT_EQ(cut, stored) << static_cast<int>(row.type);
  }
  const std::vector<int32_t> two{-2, 5};
  uint8_t byte = 0;
  store_lanes(SimdType::kI4, two.data(), &byte, 2);
  EXPECT_EQ(byte, 0x5E) << "the first one lies low";
}

}  // namespace
}  // namespace covenant::sim
