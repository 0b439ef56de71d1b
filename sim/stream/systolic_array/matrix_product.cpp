#include "sim/stream/systolic_array/matrix_product.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <memory>
#include <type_traits>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "sim/stream/common/elements.h"

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
  std::span<const uint32_t> tiles;
  size_t count = 0;
  const int32_t* starts = nullptr;  ///< for pairs: initial values of sums, if they are not 0
};

/// `count` packed elements, extended.
template <typename Wide>
void unpack(const uint8_t* bytes, size_t count, uint32_t bits, bool is_unsigned, Wide* to) {
  const auto fill = [&](auto width) {
    for (size_t i = 0; i < count; ++i) to[i] = static_cast<Wide>(element_at(bytes, i, width, is_unsigned));
  };
  if (bits == 4) return fill(std::integral_constant<uint32_t, 4>());
  if (bits == 8) return fill(std::integral_constant<uint32_t, 8>());
  fill(std::integral_constant<uint32_t, 16>());
}

uint32_t lane(const uint8_t* at) {
  uint32_t bits = 0;
  std::memcpy(&bits, at, sizeof(bits));
  return bits;
}

/// Adds all products of a block to its outputs. For kVnni, lanes hold bytes as they are in memory, for the other
/// kernels pairs of 16-bit integers.
void multiply_portable(const PackedWeights& weights, const Block& block) {
  const auto add = [&](size_t v, size_t tile) {
    for (uint32_t j = 0; j < weights.columns(); ++j) {
      uint8_t* const to = block.outputs[v] + block.tiles[tile] + size_t{4} * j;
      uint32_t sum = 0;
      std::memcpy(&sum, to, sizeof(sum));
      if (block.starts != nullptr) sum += static_cast<uint32_t>(block.starts[tile * weights.tile_columns() + j]);
      const uint32_t* w = weights.lanes() + tile * weights.tile_columns() + j;
      for (const uint32_t matrix : block.matrices) {
        const uint8_t* x = block.lanes[v] + matrix;
        for (uint32_t g = 0; g < weights.groups(); ++g, x += 4, w += weights.padded_columns()) {
          const auto xs = std::bit_cast<std::array<int16_t, 2>>(lane(x));
          const auto ws = std::bit_cast<std::array<int16_t, 2>>(*w);
          sum += static_cast<uint32_t>(xs[0] * ws[0]) + static_cast<uint32_t>(xs[1] * ws[1]);
        }
      }
      std::memcpy(to, &sum, sizeof(sum));
    }
  };
  for (size_t v = 0; v < block.count; ++v) {
    for (size_t tile = 0; tile < weights.tiles(); ++tile) add(v, tile);
  }
}

#if defined(__x86_64__)
// Vectors of the processor are kept in plain arrays: as template arguments they would lose their alignment.

/// A vector of columns: those of all tiles are counted through.
struct ColumnVector {
  ColumnVector(const PackedWeights& weights, size_t padded_column)
      : tile(padded_column / weights.tile_columns()),
        first(static_cast<uint32_t>(padded_column % weights.tile_columns())),
        columns(std::min(kVector, weights.columns() - first)) {}
  uint8_t* of(const Block& block, size_t v) const { return block.outputs[v] + block.tiles[tile] + size_t{4} * first; }
  size_t tile;
  uint32_t first;    ///< column of the tile
  uint32_t columns;  ///< existing columns
};

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

// Two products of bytes never overflow; of 16 bits, two squares of -32768 alone do, and madd makes 2^31 of them, as
// sums that wrap do.
[[gnu::target("avx2")]] void multiply_pairs(const PackedWeights& weights, const Block& block) {
  for (size_t j = 0; j < weights.padded_columns(); j += kVector) {
    __m256i low[kBlock];
    __m256i high[kBlock];
    for (size_t v = 0; v < kBlock; ++v) low[v] = high[v] = _mm256_setzero_si256();
    if (block.starts != nullptr) {
      const auto* start = reinterpret_cast<const __m256i*>(block.starts + j);
      for (size_t v = 0; v < kBlock; ++v) {
        low[v] = _mm256_loadu_si256(start);
        high[v] = _mm256_loadu_si256(start + 1);
      }
    }
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
    const ColumnVector at(weights, j);
    for (size_t v = 0; v < block.count; ++v) add_avx2(at.of(block, v), low[v], high[v], at.columns);
  }
}

// dpbusd multiplies unsigned by signed bytes, exactly. A signed x is taken as (x + 128) - 128: flipping the top bit
// adds 128, and 128 times the sum of the column (`starts`) is taken off at the start. kVectors vectors of columns share
// the loads of the inputs, from column `j` on.
template <size_t kVectors, bool kUnsigned>
[[gnu::target("avx512f,avx512bw,avx512vnni")]] void multiply_columns(const PackedWeights& weights, const Block& block,
                                                                     size_t j) {
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
        // With the intrinsic, GCC would copy every sum: a simulation spends most of its time in this loop.
#pragma GCC unroll 2
        for (size_t c = 0; c < kVectors; ++c) asm("vpdpbusd %2, %1, %0" : "+v"(sums[c][v]) : "v"(x), "v"(row[c]));
      }
    }
  }
#pragma GCC unroll 2
  for (size_t c = 0; c < kVectors; ++c) {
    const ColumnVector at(weights, j + c * size_t{kVector});
    const auto mask = static_cast<__mmask16>((1U << at.columns) - 1);
#pragma GCC unroll 8
    for (size_t v = 0; v < kBlock; ++v) {
      if (v >= block.count) break;
      uint8_t* to = at.of(block, v);
      _mm512_mask_storeu_epi32(to, mask, _mm512_add_epi32(_mm512_maskz_loadu_epi32(mask, to), sums[c][v]));
    }
  }
}

template <bool kUnsigned>
void multiply_vnni(const PackedWeights& weights, const Block& block) {
  size_t j = 0;
  for (; j + kVector < weights.padded_columns(); j += 2 * kVector) multiply_columns<2, kUnsigned>(weights, block, j);
  if (j < weights.padded_columns()) multiply_columns<1, kUnsigned>(weights, block, j);
}

/// Four rows of 16 bytes, each `stride` bytes after the one before it, become 16 lanes of four.
[[gnu::target("avx512f,avx512bw")]] inline __m512i quad_of(const uint8_t* rows, size_t stride) {
  // Lane j of a row takes its bytes 4 j ... 4 j + 3 next to those of the other rows, where they are transposed.
  const __m512i together = _mm512_set_epi32(15, 11, 7, 3, 14, 10, 6, 2, 13, 9, 5, 1, 12, 8, 4, 0);
  const __m512i transpose = _mm512_broadcast_i32x4(_mm_set_epi8(15, 11, 7, 3, 14, 10, 6, 2, 13, 9, 5, 1, 12, 8, 4, 0));
  const auto row = [&](size_t k) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(rows + k * stride)); };
  __m512i quad = _mm512_castsi128_si512(row(0));
  quad = _mm512_inserti32x4(quad, row(1), 1);
  quad = _mm512_inserti32x4(quad, row(2), 2);
  quad = _mm512_inserti32x4(quad, row(3), 3);
  return _mm512_shuffle_epi8(_mm512_permutexvar_epi32(together, quad), transpose);
}

/// Lanes of matrix elements (i, j) ... (i + 3, j + 15); those past the end are 0.
[[gnu::target("avx512f,avx512bw")]] inline __m512i quad_at(const uint8_t* matrix, uint32_t rows, uint32_t columns,
                                                           uint32_t i, uint32_t j) {
  const uint8_t* first = matrix + size_t{i} * columns + j;
  if (i + 4 <= rows && j + kVector <= columns) return quad_of(first, columns);
  std::array<uint8_t, size_t{4} * kVector> whole{};
  for (uint32_t k = 0; k < 4 && i + k < rows; ++k) {
    std::memcpy(whole.data() + size_t{k} * kVector, first + size_t{k} * columns, std::min(kVector, columns - j));
  }
  return quad_of(whole.data(), kVector);
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
    const uint32_t bits = weights.elements().input_bits;
    if (weights.kernel() == ProductKernel::kVnni) {
      bits == 8 ? static_cast<void>(std::memcpy(lanes, from, weights.rows()))
                : unpack(from, weights.rows(), bits, inputs.is_unsigned, lanes);
    } else {
      auto* const wide = reinterpret_cast<int16_t*>(lanes);
      unpack(from, weights.rows(), bits, inputs.is_unsigned, wide);
      // Without a sign as (x - 32768) + 32768: flipping the top bit takes 32768 off.
      const bool flips = bits == 16 && inputs.is_unsigned;
      for (uint32_t i = 0; flips && i < weights.rows(); ++i) wide[i] = static_cast<int16_t>(wide[i] ^ INT16_MIN);
    }
    lanes += size_t{4} * weights.groups();
  }
}

}  // namespace

std::vector<ProductKernel> product_kernels() {
  std::vector<ProductKernel> kernels;
  kernels.push_back(ProductKernel::kPortable);
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) kernels.push_back(ProductKernel::kPairs);
  if (__builtin_cpu_supports("avx512vnni") && __builtin_cpu_supports("avx512bw")) {
    kernels.push_back(ProductKernel::kVnni);
  }
#endif
  return kernels;
}

PackedWeights::PackedWeights(uint32_t rows, uint32_t columns, size_t matrices, size_t tiles, ProductKernel kernel,
                             ProductElements elements)
    : rows_(rows),
      columns_(columns),
      matrices_(matrices),
      tiles_(tiles),
      kernel_(kernel == ProductKernel::kVnni && std::max(elements.input_bits, elements.weight_bits) > 8
                  ? ProductKernel::kPairs
                  : kernel),
      elements_(elements),
      tile_columns_(round_up(columns, kVector)),
      lanes_(std::make_unique_for_overwrite<uint32_t[]>(matrices * groups() * padded_columns())),
      starts_(kernel_ == ProductKernel::kVnni || elements.input_bits == 16 ? padded_columns() : 0) {
  if (kernel_ != ProductKernel::kVnni) std::fill_n(lanes_.get(), matrices * groups() * padded_columns(), 0);
}

void PackedWeights::load(const uint8_t* weights, std::span<const uint32_t> matrices, std::span<const uint32_t> tiles) {
  for (size_t t = 0; t < tiles_; ++t) {
#if defined(__x86_64__)
    if (kernel_ == ProductKernel::kVnni) {
      elements_.weight_bits == 8 ? load_quads(weights + tiles[t], matrices, t)
                                 : load_unpacked(weights + tiles[t], matrices, t);
      continue;
    }
#endif
    if (!starts_.empty()) std::fill_n(starts_.data() + t * tile_columns_, tile_columns_, 0);
    for (size_t s = 0; s < matrices_; ++s) load_pairs(weights + matrices[s] + tiles[t], s, t);
  }
}

void PackedWeights::load_pairs(const uint8_t* weights, size_t matrix, size_t tile) {
  auto* elements =
      reinterpret_cast<uint8_t*>(lanes_.get() + matrix * groups() * padded_columns() + tile * tile_columns_);
  std::vector<int16_t> all(size_t{rows_} * columns_);
  unpack(weights, all.size(), elements_.weight_bits, false, all.data());
  int32_t* const starts = starts_.empty() ? nullptr : starts_.data() + tile * tile_columns_;
  for (uint32_t i = 0; i < rows_; ++i) {
    uint8_t* to = elements + (size_t{i / 2} * padded_columns() * 2 + i % 2) * 2;
    const int16_t* row = all.data() + size_t{i} * columns_;
    for (uint32_t j = 0; j < columns_; ++j) std::memcpy(to + size_t{4} * j, row + j, sizeof(*row));
    for (uint32_t j = 0; starts != nullptr && j < columns_; ++j) {
      starts[j] = static_cast<int32_t>(static_cast<uint32_t>(starts[j]) + static_cast<uint32_t>(row[j]) * 32768U);
    }
  }
}

#if defined(__x86_64__)
/// Elements of less than a byte, as bytes.
void PackedWeights::load_unpacked(const uint8_t* weights, std::span<const uint32_t> matrices, size_t tile) {
  const size_t count = size_t{rows_} * columns_;
  std::vector<uint8_t> all(count * matrices_);
  std::vector<uint32_t> places;
  for (const uint32_t matrix : matrices) {
    places.push_back(static_cast<uint32_t>(places.size() * count));
    unpack(weights + matrix, count, elements_.weight_bits, false, all.data() + places.back());
  }
  load_quads(all.data(), places, tile);
}

// The sums of the columns come with the lanes: starts[j] = -128 * sum of column j.
[[gnu::target("avx512f,avx512bw,avx512vnni")]] void PackedWeights::load_quads(const uint8_t* weights,
                                                                              std::span<const uint32_t> matrices,
                                                                              size_t tile) {
  for (uint32_t j = 0; j < tile_columns_; j += kVector) {
    __m512i sum = _mm512_setzero_si512();
    uint32_t* to = lanes_.get() + tile * tile_columns_ + j;
    for (size_t s = 0; s < matrices_; ++s) {
      for (uint32_t i = 0; i < rows_; i += 4, to += padded_columns()) {
        const __m512i quad = quad_at(weights + matrices[s], rows_, columns_, i, j);
        _mm512_storeu_si512(to, quad);
        sum = _mm512_dpbusd_epi32(sum, _mm512_set1_epi32(0x01010101), quad);
      }
    }
    _mm512_storeu_si512(starts_.data() + tile * tile_columns_ + j,
                        _mm512_sub_epi32(_mm512_setzero_si512(), _mm512_slli_epi32(sum, 7)));
  }
}
#endif

void accumulate_products(const PackedWeights& weights, const ProductInputs& inputs, const ProductOutputs& outputs) {
  // Bytes in memory are lanes already if no group is cut short.
  const bool in_place =
      weights.kernel() == ProductKernel::kVnni && weights.rows() % 4 == 0 && weights.elements().input_bits == 8;
  const size_t lane_bytes = size_t{4} * weights.groups();
  std::vector<uint8_t> widened(in_place ? 0 : kBlock * weights.matrices() * lane_bytes);
  std::vector<uint32_t> places(in_place ? 0 : weights.matrices());
  for (size_t s = 0; s < places.size(); ++s) places[s] = static_cast<uint32_t>(s * lane_bytes);
  Block block;
  block.matrices = in_place ? inputs.matrices : places;
  block.tiles = outputs.tiles;
  const bool is_moved = weights.elements().input_bits == 16 && inputs.is_unsigned;
  if (is_moved) block.starts = weights.starts();
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
