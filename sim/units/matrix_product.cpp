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
constexpr size_t kBlock = 8;      // input vectors handled at once: they share the loads of the weights

/// Lanes of up to kBlock input vectors: those of vector v for matrix s begin at lanes[v] + matrices[s], lane g of them
/// holds the elements of row group g.
struct Block {
  std::array<const uint8_t*, kBlock> lanes{};
  std::span<const uint32_t> matrices;
  std::array<uint8_t*, kBlock> outputs{};
  size_t count = 0;
};

uint32_t lane(const uint8_t* at) {
  uint32_t bits = 0;
  std::memcpy(&bits, at, sizeof(bits));
  return bits;
}

/// Adds all products of a block to its outputs. For kVnni, lanes hold bytes as they are in memory, for the other
/// kernels pairs of 16-bit integers.
void multiply_portable(const PackedWeights& weights, const Block& block) {
  for (size_t v = 0; v < block.count; ++v) {
    for (uint32_t j = 0; j < weights.columns(); ++j) {
      uint32_t sum = 0;
      std::memcpy(&sum, block.outputs[v] + size_t{4} * j, sizeof(sum));
      const uint32_t* w = weights.lanes() + j;
      for (const uint32_t matrix : block.matrices) {
        const uint8_t* x = block.lanes[v] + matrix;
        for (uint32_t g = 0; g < weights.groups(); ++g, x += 4, w += weights.padded_columns()) {
          const auto xs = std::bit_cast<std::array<int16_t, 2>>(lane(x));
          const auto ws = std::bit_cast<std::array<int16_t, 2>>(*w);
          sum += static_cast<uint32_t>(xs[0] * ws[0]) + static_cast<uint32_t>(xs[1] * ws[1]);
        }
      }
      std::memcpy(block.outputs[v] + size_t{4} * j, &sum, sizeof(sum));
    }
  }
}

#if defined(__x86_64__)
// Vectors of the processor are kept in plain arrays: as template arguments they would lose their alignment.

/// Adds 16 sums to the first `columns` integers at `output`.
[[gnu::target("avx2")]] inline void add_avx2(uint8_t* output, __m256i low, __m256i high, uint32_t columns) {
  if (columns == kVector) {
    auto* to = reinterpret_cast<__m256i*>(output);
    _mm256_storeu_si256(to, _mm256_add_epi32(_mm256_loadu_si256(to), low));
    _mm256_storeu_si256(to + 1, _mm256_add_epi32(_mm256_loadu_si256(to + 1), high));
    return;
  }
  std::array<uint32_t, kVector> sums{};
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(sums.data()), low);
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(sums.data() + 8), high);
  std::array<uint32_t, kVector> old{};
  std::memcpy(old.data(), output, size_t{4} * columns);
  for (uint32_t j = 0; j < kVector; ++j) old[j] += sums[j];
  std::memcpy(output, old.data(), size_t{4} * columns);
}

// A pair of products is at most 2 * 255 * 128 in magnitude, so madd never overflows; the sums wrap as they should.
[[gnu::target("avx2")]] void multiply_pairs(const PackedWeights& weights, const Block& block) {
  for (uint32_t j = 0; j < weights.columns(); j += kVector) {
    __m256i low[kBlock];
    __m256i high[kBlock];
    for (size_t v = 0; v < kBlock; ++v) low[v] = high[v] = _mm256_setzero_si256();
    const uint32_t* w = weights.lanes() + j;
    for (const uint32_t matrix : block.matrices) {
      size_t at = matrix;
      for (uint32_t g = 0; g < weights.groups(); ++g, at += 4, w += weights.padded_columns()) {
        const __m256i w0 = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(w));
        const __m256i w1 = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(w + 8));
        for (size_t v = 0; v < kBlock; ++v) {
          const __m256i x = _mm256_set1_epi32(static_cast<int32_t>(lane(block.lanes[v] + at)));
          low[v] = _mm256_add_epi32(low[v], _mm256_madd_epi16(x, w0));
          high[v] = _mm256_add_epi32(high[v], _mm256_madd_epi16(x, w1));
        }
      }
    }
    const uint32_t columns = std::min(kVector, weights.columns() - j);
    for (size_t v = 0; v < block.count; ++v) add_avx2(block.outputs[v] + size_t{4} * j, low[v], high[v], columns);
  }
}

// dpbusd multiplies unsigned by signed bytes, exactly. A signed x is taken as (x + 128) - 128: flipping the top bit
// adds 128, and 128 times the sum of the column (`starts`) is taken off at the start. kVectors vectors of columns share
// the loads of the inputs, from column `j` on.
template <size_t kVectors, bool kUnsigned>
[[gnu::target("avx512f,avx512bw,avx512vnni")]] void multiply_columns(const PackedWeights& weights, const Block& block,
                                                                     uint32_t j) {
  const uint32_t* w = weights.lanes() + j;
  const __m512i flip = _mm512_set1_epi32(kUnsigned ? 0 : static_cast<int32_t>(0x80808080U));
  __m512i sums[kVectors][kBlock];
#pragma GCC unroll 2
  for (size_t c = 0; c < kVectors; ++c) {
    const __m512i start =
        kUnsigned ? _mm512_setzero_si512() : _mm512_loadu_si512(weights.starts() + j + c * size_t{kVector});
#pragma GCC unroll 8
    for (size_t v = 0; v < kBlock; ++v) sums[c][v] = start;
  }
  for (const uint32_t matrix : block.matrices) {
    size_t at = matrix;
    for (uint32_t g = 0; g < weights.groups(); ++g, at += 4, w += weights.padded_columns()) {
      __m512i row[kVectors];
#pragma GCC unroll 2
      for (size_t c = 0; c < kVectors; ++c) row[c] = _mm512_loadu_si512(w + c * size_t{kVector});
#pragma GCC unroll 8
      for (size_t v = 0; v < kBlock; ++v) {
        __m512i x = _mm512_set1_epi32(static_cast<int32_t>(lane(block.lanes[v] + at)));
        if (!kUnsigned) x = _mm512_xor_si512(x, flip);
        // The intrinsic makes GCC copy every sum: this loop is what a simulation spends its time in.
#pragma GCC unroll 2
        for (size_t c = 0; c < kVectors; ++c) asm("vpdpbusd %2, %1, %0" : "+v"(sums[c][v]) : "v"(x), "v"(row[c]));
      }
    }
  }
#pragma GCC unroll 2
  for (size_t c = 0; c < kVectors; ++c) {
    const uint32_t first = j + static_cast<uint32_t>(c) * kVector;
    const uint32_t columns = std::min(kVector, weights.columns() - first);
    const auto mask = static_cast<__mmask16>((1U << columns) - 1);
#pragma GCC unroll 8
    for (size_t v = 0; v < kBlock; ++v) {
      if (v >= block.count) break;
      uint8_t* to = block.outputs[v] + size_t{4} * first;
      _mm512_mask_storeu_epi32(to, mask, _mm512_add_epi32(_mm512_maskz_loadu_epi32(mask, to), sums[c][v]));
    }
  }
}

template <bool kUnsigned>
void multiply_vnni(const PackedWeights& weights, const Block& block) {
  uint32_t j = 0;
  for (; j + kVector < weights.columns(); j += 2 * kVector) multiply_columns<2, kUnsigned>(weights, block, j);
  if (j < weights.columns()) multiply_columns<1, kUnsigned>(weights, block, j);
}

/// starts[j] = -128 * sum of column j.
[[gnu::target("avx512f,avx512bw,avx512vnni")]] void sum_columns(std::span<const uint32_t> lanes, size_t padded_columns,
                                                                std::span<int32_t> starts) {
  for (size_t j = 0; j < padded_columns; j += kVector) {
    __m512i sum = _mm512_setzero_si512();
    for (size_t at = j; at < lanes.size(); at += padded_columns) {
      sum = _mm512_dpbusd_epi32(sum, _mm512_set1_epi32(0x01010101), _mm512_loadu_si512(lanes.data() + at));
    }
    _mm512_storeu_si512(starts.data() + j, _mm512_sub_epi32(_mm512_setzero_si512(), _mm512_slli_epi32(sum, 7)));
  }
}

/// Four rows of 16 bytes become 16 lanes of four.
void transpose_quad(const uint8_t* weights, size_t columns, uint32_t* lanes) {
  __m128i row[4];
  for (size_t k = 0; k < 4; ++k) row[k] = _mm_loadu_si128(reinterpret_cast<const __m128i*>(weights + k * columns));
  const __m128i low01 = _mm_unpacklo_epi8(row[0], row[1]);
  const __m128i high01 = _mm_unpackhi_epi8(row[0], row[1]);
  const __m128i low23 = _mm_unpacklo_epi8(row[2], row[3]);
  const __m128i high23 = _mm_unpackhi_epi8(row[2], row[3]);
  auto* to = reinterpret_cast<__m128i*>(lanes);
  _mm_storeu_si128(to, _mm_unpacklo_epi16(low01, low23));
  _mm_storeu_si128(to + 1, _mm_unpackhi_epi16(low01, low23));
  _mm_storeu_si128(to + 2, _mm_unpacklo_epi16(high01, high23));
  _mm_storeu_si128(to + 3, _mm_unpackhi_epi16(high01, high23));
}
#endif

void multiply(const PackedWeights& weights, const Block& block, [[maybe_unused]] bool is_unsigned) {
#if defined(__x86_64__)
  if (weights.kernel() == ProductKernel::kVnni) {
    return is_unsigned ? multiply_vnni<true>(weights, block) : multiply_vnni<false>(weights, block);
  }
  if (weights.kernel() == ProductKernel::kPairs) return multiply_pairs(weights, block);
#endif
  multiply_portable(weights, block);
}

/// Rearranges the bytes of an input vector, one run of rows per matrix, into lanes.
void widen(const uint8_t* bytes, const ProductInputs& inputs, const PackedWeights& weights, uint8_t* lanes) {
  for (const uint32_t matrix : inputs.matrices) {
    const uint8_t* from = bytes + matrix;
    if (weights.kernel() == ProductKernel::kVnni) {
      std::memcpy(lanes, from, weights.rows());
    } else {
      for (uint32_t i = 0; i < weights.rows(); ++i) {
        const auto x = static_cast<int16_t>(inputs.is_unsigned ? from[i] : static_cast<int8_t>(from[i]));
        std::memcpy(lanes + size_t{2} * i, &x, sizeof(x));
      }
    }
    lanes += size_t{4} * weights.groups();
  }
}

}  // namespace

std::vector<ProductKernel> product_kernels() {
  std::vector<ProductKernel> kernels{ProductKernel::kPortable};
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) kernels.push_back(ProductKernel::kPairs);
  if (__builtin_cpu_supports("avx512vnni") && __builtin_cpu_supports("avx512bw")) {
    kernels.push_back(ProductKernel::kVnni);
  }
#endif
  return kernels;
}

PackedWeights::PackedWeights(uint32_t rows, uint32_t columns, size_t matrices, ProductKernel kernel)
    : rows_(rows),
      columns_(columns),
      matrices_(matrices),
      kernel_(kernel),
      padded_columns_(round_up(columns, kVector)),
      lanes_(matrices * groups() * padded_columns_),
      starts_(kernel == ProductKernel::kVnni ? padded_columns_ : 0) {}

void PackedWeights::load(const uint8_t* weights, std::span<const uint32_t> offsets) {
  for (size_t s = 0; s < matrices_; ++s) {
    if (kernel_ == ProductKernel::kVnni) {
      load_quads(weights + offsets[s], s);
    } else {
      load_pairs(weights + offsets[s], s);
    }
  }
#if defined(__x86_64__)
  if (kernel_ == ProductKernel::kVnni) sum_columns(lanes_, padded_columns_, starts_);
#endif
}

void PackedWeights::load_pairs(const uint8_t* weights, size_t matrix) {
  auto* elements = reinterpret_cast<uint8_t*>(lanes_.data() + matrix * groups() * padded_columns_);
  for (uint32_t i = 0; i < rows_; ++i) {
    uint8_t* to = elements + (size_t{i / 2} * padded_columns_ * 2 + i % 2) * 2;
    for (uint32_t j = 0; j < columns_; ++j) {
      const auto w = static_cast<int16_t>(static_cast<int8_t>(weights[size_t{i} * columns_ + j]));
      std::memcpy(to + size_t{4} * j, &w, sizeof(w));
    }
  }
}

void PackedWeights::load_quads(const uint8_t* weights, size_t matrix) {
  auto* elements = reinterpret_cast<uint8_t*>(lanes_.data());
  for (uint32_t i = 0; i < rows_; i += 4) {
    uint32_t j = 0;
    const size_t at = (matrix * groups() + i / 4) * padded_columns_;
#if defined(__x86_64__)
    for (; i + 4 <= rows_ && j + kVector <= columns_; j += kVector) {
      transpose_quad(weights + size_t{i} * columns_ + j, columns_, lanes_.data() + at + j);
    }
#endif
    for (; j < columns_; ++j) {
      for (uint32_t k = 0; k < 4 && i + k < rows_; ++k) {
        elements[(at + j) * 4 + k] = weights[size_t{i + k} * columns_ + j];
      }
    }
  }
}

void accumulate_products(const PackedWeights& weights, const ProductInputs& inputs, const ProductOutputs& outputs) {
  // Bytes in memory are lanes already if no group is cut short.
  const bool in_place = weights.kernel() == ProductKernel::kVnni && weights.rows() % 4 == 0;
  const size_t lane_bytes = size_t{4} * weights.groups();
  std::vector<uint8_t> widened(in_place ? 0 : kBlock * weights.matrices() * lane_bytes);
  std::vector<uint32_t> places(in_place ? 0 : weights.matrices());
  for (size_t s = 0; s < places.size(); ++s) places[s] = static_cast<uint32_t>(s * lane_bytes);
  Block block;
  block.matrices = in_place ? inputs.matrices : places;
  for (size_t first = 0; first < inputs.vectors.size(); first += kBlock) {
    block.count = std::min(kBlock, inputs.vectors.size() - first);
    for (size_t v = 0; v < kBlock; ++v) {
      const size_t which = first + std::min(v, block.count - 1);  // a short block repeats its last vector
      const uint8_t* bytes = inputs.start + inputs.vectors[which];
      uint8_t* lanes = widened.data() + v * weights.matrices() * lane_bytes;
      block.outputs[v] = outputs.start + outputs.vectors[which];
      block.lanes[v] = in_place ? bytes : lanes;
      if (!in_place) widen(bytes, inputs, weights, lanes);
    }
    multiply(weights, block, inputs.is_unsigned);
  }
}

}  // namespace covenant::sim
