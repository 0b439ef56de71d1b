#include "sim/stream/systolic_array/matrix_product.h"

#include <cstring>
#include <gtest/gtest.h>
#include <random>

namespace covenant::sim {
namespace {

/// Integers packed as memories have them, little-endian, the first one of a byte low.
std::vector<uint8_t> packed(const std::vector<int64_t>& values, uint32_t bits) {
  std::vector<uint8_t> bytes(values.size() * bits / 8);
  for (size_t i = 0; i < values.size(); ++i) {
    for (uint32_t bit = 0; bit < bits; ++bit) {
      const size_t at = i * bits + bit;
      bytes[at / 8] = static_cast<uint8_t>(bytes[at / 8] | (values[i] >> bit & 1) << (at % 8));
    }
  }
  return bytes;
}

struct Case {
  ProductKernel kernel;
  uint32_t rows, columns, tiles;
  bool is_unsigned, extremes;
  ProductElements elements{};
};

/// The definition, in 64-bit arithmetic cut to 32 bits.
void expect_product(const Case& one, uint32_t seed) {
  const auto& [kernel, rows, columns, tiles, is_unsigned, extremes, elements] = one;
  SCOPED_TRACE(testing::Message() << rows << "x" << columns << " tiles " << tiles << " kernel "
                                  << static_cast<int>(kernel) << " unsigned " << is_unsigned << " bits "
                                  << elements.input_bits << "x" << elements.weight_bits << " seed " << seed);
  std::mt19937 random(seed);
  const auto drawn = [&](uint32_t bits, bool has_sign) {
    const int64_t range = int64_t{1} << bits;
    const int64_t value = extremes ? (random() % 2 ? range / 2 : range - 1) : static_cast<int64_t>(random() % range);
    return has_sign && value >= range / 2 ? value - range : value;
  };
  const size_t vectors = 11;
  const uint32_t row_bytes = rows * elements.input_bits / 8;
  const uint32_t matrix_bytes = rows * columns * elements.weight_bits / 8;
  const std::vector<uint32_t> matrices{2 * matrix_bytes, 0, matrix_bytes};  // in no order
  std::vector<uint32_t> weight_tiles;
  std::vector<uint32_t> sum_tiles;
  for (uint32_t t = 0; t < tiles; ++t) {
    weight_tiles.push_back((tiles - 1 - t) * 3 * matrix_bytes);
    sum_tiles.push_back((t + 1) % tiles * 3 * columns * 4);
  }
  const std::vector<uint32_t> parts{0, 2 * row_bytes, row_bytes};
  std::vector<int64_t> weights(size_t{3} * rows * columns * tiles);
  std::vector<int64_t> inputs(vectors * 3 * rows);
  for (auto& w : weights) w = drawn(elements.weight_bits, true);
  for (auto& x : inputs) x = drawn(elements.input_bits, !is_unsigned);
  std::vector<uint8_t> output(size_t{4} * columns * 3 * tiles);
  for (auto& o : output) o = static_cast<uint8_t>(random() % 256);
  std::vector<uint32_t> in;
  std::vector<uint32_t> out;
  for (uint32_t v = 0; v < vectors; ++v) {
    in.push_back(static_cast<uint32_t>((v * 7 % vectors) * 3 * row_bytes));
    out.push_back(v % 3 * columns * 4);  // outputs repeat, also within a block of vectors
  }
  std::vector<uint32_t> expected(size_t{columns} * 3 * tiles);
  std::memcpy(expected.data(), output.data(), output.size());
  const auto expect = [&](size_t v, size_t t) {
    for (uint32_t j = 0; j < columns; ++j) {
      uint64_t sum = 0;
      for (size_t s = 0; s < matrices.size(); ++s) {
        for (uint32_t i = 0; i < rows; ++i) {
          const size_t x = (in[v] + parts[s]) * 8 / elements.input_bits + i;
          const size_t w = (weight_tiles[t] + matrices[s]) * 8 / elements.weight_bits + size_t{i} * columns + j;
          sum += static_cast<uint64_t>(inputs[x] * weights[w]);
        }
      }
      expected[(sum_tiles[t] + out[v]) / 4 + j] += static_cast<uint32_t>(sum);
    }
  };
  for (size_t v = 0; v < vectors; ++v) {
    for (size_t t = 0; t < tiles; ++t) expect(v, t);
  }
  const std::vector<uint8_t> weight_memory = packed(weights, elements.weight_bits);
  const std::vector<uint8_t> input_memory = packed(inputs, elements.input_bits);
  PackedWeights packed_weights(rows, columns, matrices.size(), tiles, kernel, elements);
  packed_weights.load(weight_memory.data(), matrices, weight_tiles);
  accumulate_products(packed_weights, {input_memory.data(), in, parts, is_unsigned}, {output.data(), out, sum_tiles});
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
          expect_product({kernel, rows, columns, tiles, is_unsigned, false}, seed++);
          expect_product({kernel, rows, columns, tiles, is_unsigned, true}, seed++);
        }
      }
    }
  }
}

TEST(MatrixProduct, IsExactForEveryWidth) {
  uint32_t seed = 1000;
  for (auto [rows, columns] : {std::pair<uint32_t, uint32_t>{2, 1}, {6, 5}, {8, 24}, {20, 12}, {16, 16}, {30, 33}}) {
    for (const uint32_t input_bits : {4U, 8U, 16U}) {
      for (const uint32_t weight_bits : {4U, 8U, 16U}) {
        for (bool is_unsigned : {false, true}) {
          for (ProductKernel kernel : product_kernels()) {
            const uint32_t tiles = 1 + seed % 3;
            const ProductElements elements{input_bits, weight_bits};
            expect_product({kernel, rows, columns, tiles, is_unsigned, false, elements}, seed++);
            expect_product({kernel, rows, columns, tiles, is_unsigned, true, elements}, seed++);
          }
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
