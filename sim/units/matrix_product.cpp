#include "sim/units/matrix_product.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace covenant::sim {

static_assert(std::endian::native == std::endian::little, "memory images are little-endian");

namespace {

constexpr uint32_t kVector = 16;  // columns handled at once
constexpr size_t kBlock = 4;      // input vectors handled at once: they share the loads of the weights

using Block = std::array<const int16_t*, kBlock>;  // of each input vector its elements, an even number of them
using Sums = std::array<std::array<int32_t, kVector>, kBlock>;

/// sums[v][j] = sum over p of the two products of pair p of input v with column j.
/// `pairs`: those of the first of 16 columns; `stride`: int16 from one row pair to the next.
void multiply_generic(const Block& inputs, const int16_t* pairs, size_t stride, uint32_t row_pairs, Sums& sums) {
  for (size_t v = 0; v < kBlock; ++v) {
    std::array<uint32_t, kVector> sum{};
    for (uint32_t p = 0; p < row_pairs; ++p) {
      std::array<int16_t, 2> input{};
      std::memcpy(input.data(), inputs[v] + 2 * size_t{p}, sizeof(input));
      const int16_t* weight = pairs + p * stride;
      for (uint32_t j = 0; j < kVector; ++j) {
        sum[j] += static_cast<uint32_t>(input[0] * weight[2 * j]) + static_cast<uint32_t>(input[1] * weight[2 * j + 1]);
      }
    }
    std::memcpy(sums[v].data(), sum.data(), sizeof(sum));
  }
}

#if defined(__x86_64__)
/// Pair p of an input vector as one 32-bit lane.
int32_t pair(const int16_t* input, uint32_t p) {
  int32_t lane = 0;
  std::memcpy(&lane, input + 2 * size_t{p}, sizeof(lane));
  return lane;
}

// A product of two pairs is at most 2 * 255 * 128 in magnitude, so madd never overflows; the sums wrap as they should.

[[gnu::target("avx2")]] void multiply_avx2(const Block& inputs, const int16_t* pairs, size_t stride, uint32_t row_pairs,
                                           Sums& sums) {
  __m256i low[kBlock];
  __m256i high[kBlock];
  for (size_t v = 0; v < kBlock; ++v) low[v] = high[v] = _mm256_setzero_si256();
  for (uint32_t p = 0; p < row_pairs; ++p) {
    const auto* weight = reinterpret_cast<const __m256i*>(pairs + p * stride);
    const __m256i w0 = _mm256_loadu_si256(weight);
    const __m256i w1 = _mm256_loadu_si256(weight + 1);
    for (size_t v = 0; v < kBlock; ++v) {
      const __m256i input = _mm256_set1_epi32(pair(inputs[v], p));
      low[v] = _mm256_add_epi32(low[v], _mm256_madd_epi16(input, w0));
      high[v] = _mm256_add_epi32(high[v], _mm256_madd_epi16(input, w1));
    }
  }
  for (size_t v = 0; v < kBlock; ++v) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(sums[v].data()), low[v]);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(sums[v].data() + 8), high[v]);
  }
}

[[gnu::target("avx512f,avx512bw")]] void multiply_avx512(const Block& inputs, const int16_t* pairs, size_t stride,
                                                         uint32_t row_pairs, Sums& sums) {
  __m512i sum[kBlock];
  for (size_t v = 0; v < kBlock; ++v) sum[v] = _mm512_setzero_si512();
  for (uint32_t p = 0; p < row_pairs; ++p) {
    const __m512i w = _mm512_loadu_si512(pairs + p * stride);
    for (size_t v = 0; v < kBlock; ++v) {
      sum[v] = _mm512_add_epi32(sum[v], _mm512_madd_epi16(_mm512_set1_epi32(pair(inputs[v], p)), w));
    }
  }
  for (size_t v = 0; v < kBlock; ++v) _mm512_storeu_si512(sums[v].data(), sum[v]);
}
#endif

using Multiply = void (*)(const Block&, const int16_t*, size_t, uint32_t, Sums&);

Multiply best_multiply() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512bw")) return multiply_avx512;
  if (__builtin_cpu_supports("avx2")) return multiply_avx2;
#endif
  return multiply_generic;
}

/// Widens `rows` bytes to int16.
void widen(const uint8_t* bytes, uint32_t rows, bool is_unsigned, int16_t* to) {
  if (is_unsigned) {
    for (uint32_t i = 0; i < rows; ++i) to[i] = bytes[i];
  } else {
    for (uint32_t i = 0; i < rows; ++i) to[i] = static_cast<int8_t>(bytes[i]);
  }
}

/// Adds the first `count` sums to the integers at `output`.
void add_to(uint8_t* output, const std::array<int32_t, kVector>& sums, uint32_t count) {
  std::array<uint32_t, kVector> old{};
  std::memcpy(old.data(), output, count * sizeof(uint32_t));
  for (uint32_t j = 0; j < kVector; ++j) old[j] += static_cast<uint32_t>(sums[j]);
  std::memcpy(output, old.data(), count * sizeof(uint32_t));
}

}  // namespace

PackedWeights::PackedWeights(uint32_t rows, uint32_t columns)
    : rows_(rows),
      columns_(columns),
      padded_columns_((columns + kVector - 1) / kVector * kVector),
      pairs_(static_cast<size_t>((rows + 1) / 2) * padded_columns_ * 2) {}

void PackedWeights::load(const uint8_t* weights) {
  for (uint32_t i = 0; i < rows_; ++i) {
    int16_t* pair = pairs_.data() + static_cast<size_t>(i / 2) * padded_columns_ * 2 + i % 2;
    const uint8_t* row = weights + static_cast<size_t>(i) * columns_;
    for (uint32_t j = 0; j < columns_; ++j) pair[2 * static_cast<size_t>(j)] = static_cast<int8_t>(row[j]);
  }
}

void accumulate_products(const PackedWeights& weights, const uint8_t* input, std::span<const uint32_t> input_offsets,
                         bool is_unsigned, uint8_t* output, std::span<const uint32_t> output_offsets) {
  const Multiply multiply = best_multiply();
  const uint32_t row_pairs = weights.row_pairs();
  const size_t stride = static_cast<size_t>(weights.padded_columns()) * 2;
  // Zero beyond `rows`, so that an odd last row meets a zero.
  const size_t elements = size_t{2} * row_pairs;
  std::vector<int16_t> widened(kBlock * elements);
  Block block{};
  for (size_t v = 0; v < kBlock; ++v) block[v] = widened.data() + v * elements;
  Sums sums;
  for (size_t first = 0; first < input_offsets.size(); first += kBlock) {
    const size_t count = std::min(kBlock, input_offsets.size() - first);
    for (size_t v = 0; v < count; ++v) {
      widen(input + input_offsets[first + v], weights.rows(), is_unsigned, widened.data() + v * elements);
    }
    for (uint32_t j = 0; j < weights.columns(); j += kVector) {
      multiply(block, weights.pairs() + 2 * static_cast<size_t>(j), stride, row_pairs, sums);
      const uint32_t columns = std::min(kVector, weights.columns() - j);
      for (size_t v = 0; v < count; ++v) {
        add_to(output + output_offsets[first + v] + j * sizeof(int32_t), sums[v], columns);
      }
    }
  }
}

}  // namespace covenant::sim
