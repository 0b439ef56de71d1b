#include "sim/units/matrix_product.h"

#include <cstring>
#include <gtest/gtest.h>
#include <random>

namespace covenant::sim {
namespace {

/// The definition, in 64-bit arithmetic cut to 32 bits.
void expect_product(ProductKernel kernel, uint32_t rows, uint32_t columns, bool is_unsigned, bool extremes,
                    uint32_t seed) {
  SCOPED_TRACE(testing::Message() << rows << "x" << columns << " kernel " << static_cast<int>(kernel) << " unsigned "
                                  << is_unsigned << " seed " << seed);
  std::mt19937 random(seed);
  const auto byte = [&] { return static_cast<uint8_t>(extremes ? (random() % 2 ? 0x80 : 0xFF) : random() % 256); };
  const size_t vectors = 11;
  std::vector<uint8_t> weights(size_t{rows} * columns);
  std::vector<uint8_t> inputs(vectors * rows);
  for (auto& w : weights) w = byte();
  for (auto& x : inputs) x = byte();
  std::vector<uint8_t> output(4 * columns * 3);
  for (auto& o : output) o = static_cast<uint8_t>(random() % 256);
  std::vector<uint32_t> in;
  std::vector<uint32_t> out;
  for (uint32_t v = 0; v < vectors; ++v) {
    in.push_back(static_cast<uint32_t>((v * 7 % vectors) * rows));
    out.push_back(v % 3 * columns * 4);  // outputs repeat, also within a block of vectors
  }
  std::vector<uint32_t> expected(size_t{columns} * 3);
  std::memcpy(expected.data(), output.data(), output.size());
  for (size_t v = 0; v < vectors; ++v) {
    for (uint32_t j = 0; j < columns; ++j) {
      int64_t sum = 0;
      for (uint32_t i = 0; i < rows; ++i) {
        const int64_t x = is_unsigned ? inputs[in[v] + i] : static_cast<int8_t>(inputs[in[v] + i]);
        sum += x * static_cast<int8_t>(weights[size_t{i} * columns + j]);
      }
      expected[out[v] / 4 + j] += static_cast<uint32_t>(sum);
    }
  }
  PackedWeights packed(rows, columns, kernel);
  packed.load(weights.data());
  accumulate_products(packed, inputs.data(), in, is_unsigned, output.data(), out);
  EXPECT_EQ(std::memcmp(expected.data(), output.data(), output.size()), 0);
}

TEST(MatrixProduct, IsExactForEveryShapeSignednessAndKernel) {
  uint32_t seed = 1;
  for (auto [rows, columns] : {std::pair<uint32_t, uint32_t>{1, 1},
                               {3, 5},
                               {5, 3},
                               {8, 24},
                               {20, 12},
                               {16, 16},
                               {32, 32},
                               {64, 64},
                               {7, 33}}) {
    for (bool is_unsigned : {false, true}) {
      for (ProductKernel kernel : product_kernels()) {
        expect_product(kernel, rows, columns, is_unsigned, false, seed++);
        expect_product(kernel, rows, columns, is_unsigned, true, seed++);
      }
    }
  }
}

TEST(MatrixProduct, WrapsAtThirtyTwoBits) {
  PackedWeights packed(1, 1);
  const uint8_t weight = 127;
  const uint8_t input = 255;
  packed.load(&weight);
  int32_t output = INT32_MAX - 5;
  const uint32_t zero = 0;
  accumulate_products(packed, &input, {&zero, 1}, true, reinterpret_cast<uint8_t*>(&output), {&zero, 1});
  EXPECT_EQ(output, static_cast<int32_t>(static_cast<uint32_t>(INT32_MAX - 5) + 255U * 127U));
}

}  // namespace
}  // namespace covenant::sim
