#include "sim/units/matrix_product.h"

#include <cstring>
#include <gtest/gtest.h>
#include <random>

namespace covenant::sim {
namespace {

/// The definition, in 64-bit arithmetic cut to 32 bits.
void expect_product(ProductKernel kernel, uint32_t rows, uint32_t columns, uint32_t tiles, bool is_unsigned,
                    bool extremes, uint32_t seed) {
  SCOPED_TRACE(testing::Message() << rows << "x" << columns << " tiles " << tiles << " kernel "
                                  << static_cast<int>(kernel) << " unsigned " << is_unsigned << " seed " << seed);
  std::mt19937 random(seed);
  const auto byte = [&] { return static_cast<uint8_t>(extremes ? (random() % 2 ? 0x80 : 0xFF) : random() % 256); };
  const size_t vectors = 11;
  const std::vector<uint32_t> matrices{2 * rows * columns, 0, rows * columns};  // in no order
  std::vector<uint32_t> weight_tiles;
  std::vector<uint32_t> sum_tiles;
  for (uint32_t t = 0; t < tiles; ++t) {
    weight_tiles.push_back((tiles - 1 - t) * 3 * rows * columns);
    sum_tiles.push_back((t + 1) % tiles * 3 * columns * 4);
  }
  const std::vector<uint32_t> parts{0, 2 * rows, rows};
  std::vector<uint8_t> weights(size_t{3} * rows * columns * tiles);
  std::vector<uint8_t> inputs(vectors * 3 * rows);
  for (auto& w : weights) w = byte();
  for (auto& x : inputs) x = byte();
  std::vector<uint8_t> output(size_t{4} * columns * 3 * tiles);
  for (auto& o : output) o = static_cast<uint8_t>(random() % 256);
  std::vector<uint32_t> in;
  std::vector<uint32_t> out;
  for (uint32_t v = 0; v < vectors; ++v) {
    in.push_back(static_cast<uint32_t>((v * 7 % vectors) * 3 * rows));
    out.push_back(v % 3 * columns * 4);  // outputs repeat, also within a block of vectors
  }
  std::vector<uint32_t> expected(size_t{columns} * 3 * tiles);
  std::memcpy(expected.data(), output.data(), output.size());
  const auto expect = [&](size_t v, size_t t) {
    for (uint32_t j = 0; j < columns; ++j) {
      int64_t sum = 0;
      for (size_t s = 0; s < matrices.size(); ++s) {
        for (uint32_t i = 0; i < rows; ++i) {
          const uint8_t x = inputs[in[v] + parts[s] + i];
          sum += int64_t{is_unsigned ? x : static_cast<int8_t>(x)} *
                 static_cast<int8_t>(weights[weight_tiles[t] + matrices[s] + size_t{i} * columns + j]);
        }
      }
      expected[(sum_tiles[t] + out[v]) / 4 + j] += static_cast<uint32_t>(sum);
    }
  };
  for (size_t v = 0; v < vectors; ++v) {
    for (size_t t = 0; t < tiles; ++t) expect(v, t);
  }
  PackedWeights packed(rows, columns, matrices.size(), tiles, kernel);
  packed.load(weights.data(), matrices, weight_tiles);
  accumulate_products(packed, {inputs.data(), in, parts, is_unsigned}, {output.data(), out, sum_tiles});
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
        for (uint32_t tiles : {1U, 2U, 3U}) {
          expect_product(kernel, rows, columns, tiles, is_unsigned, false, seed++);
          expect_product(kernel, rows, columns, tiles, is_unsigned, true, seed++);
        }
      }
    }
  }
}

TEST(MatrixProduct, WrapsAtThirtyTwoBits) {
  PackedWeights packed(1, 1, 1);
  const uint8_t weight = 127;
  const uint8_t input = 255;
  const uint32_t zero = 0;
  const std::span<const uint32_t> here(&zero, 1);
  packed.load(&weight, here, here);
  int32_t output = INT32_MAX - 5;
  accumulate_products(packed, {&input, here, here, true}, {reinterpret_cast<uint8_t*>(&output), here, here});
  EXPECT_EQ(output, static_cast<int32_t>(static_cast<uint32_t>(INT32_MAX - 5) + 255U * 127U));
}

}  // namespace
}  // namespace covenant::sim
