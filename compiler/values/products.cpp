#include "compiler/values/products.h"

#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "acg/base/check.h"

namespace covenant::compiler::values {
namespace {

/// Bytes of four weights of 16 outputs. AVX2 code keeps them as 16-bit integers.
size_t bytes_of_quad(Simd simd) { return (simd == Simd::kAvx2 ? 8 : 4) * kLanes; }

void multiply_portable(const PackedWeights& weights, const ProductBlock& block, size_t first, size_t vectors) {
  for (size_t p = 0; p < block.count; ++p) {
    for (size_t v = 0; v < vectors; ++v) {
      std::array<int32_t, kLanes> sums{};
      std::memcpy(sums.data(), block.starts + (first + v) * kLanes, sizeof(sums));
      const auto* w = reinterpret_cast<const int8_t*>(weights.of_vector(first + v));
      for (const uint32_t run : block.runs) {
        const uint8_t* x = block.positions[p] + run;
        for (size_t q = 0; q < weights.quads(); ++q, x += 4, w += 4 * kLanes) {
          for (size_t j = 0; j < kLanes; ++j) {
            const int32_t products = x[0] * w[4 * j] + x[1] * w[4 * j + 1] + x[2] * w[4 * j + 2] + x[3] * w[4 * j + 3];
            sums[j] = static_cast<int32_t>(static_cast<uint32_t>(sums[j]) + static_cast<uint32_t>(products));
          }
        }
      }
      std::memcpy(block.sums + p * kTile + v * kLanes, sums.data(), sizeof(sums));
    }
  }
}

#if defined(__x86_64__)
// Processor vectors are kept in plain arrays: as template arguments they would lose their alignment.

int32_t quad_at(const uint8_t* x) {
  int32_t bits = 0;
  std::memcpy(&bits, x, sizeof(bits));
  return bits;
}

// A pair of products is at most 2 * 255 * 128 in magnitude: madd never overflows, and the sums wrap as intended.
[[gnu::target("avx2")]] void multiply_avx2(const PackedWeights& weights, const ProductBlock& block, size_t first,
                                           size_t vectors) {
  constexpr size_t kRows = 4;
  const __m256i low_bytes = _mm256_set1_epi16(0x00FF);
  for (size_t p = 0; p < block.count; p += kRows) {
    for (size_t v = 0; v < vectors; ++v) {
      const auto* start = reinterpret_cast<const __m256i*>(block.starts + (first + v) * kLanes);
      __m256i sums[kRows][2];
      for (auto& row : sums) {
        row[0] = _mm256_loadu_si256(start);
        row[1] = _mm256_loadu_si256(start + 1);
      }
      const auto* w = reinterpret_cast<const __m256i*>(weights.of_vector(first + v));
      for (const uint32_t run : block.runs) {
        for (size_t q = 0; q < weights.quads(); ++q, w += 4) {
          __m256i row[4];
          for (size_t i = 0; i < 4; ++i) row[i] = _mm256_loadu_si256(w + i);
          for (size_t k = 0; k < kRows; ++k) {
            const __m256i x = _mm256_set1_epi32(quad_at(block.positions[p + k] + run + 4 * q));
            const __m256i even = _mm256_and_si256(x, low_bytes);
            const __m256i odd = _mm256_srli_epi16(x, 8);
            sums[k][0] = _mm256_add_epi32(sums[k][0], _mm256_madd_epi16(even, row[0]));
            sums[k][0] = _mm256_add_epi32(sums[k][0], _mm256_madd_epi16(odd, row[1]));
            sums[k][1] = _mm256_add_epi32(sums[k][1], _mm256_madd_epi16(even, row[2]));
            sums[k][1] = _mm256_add_epi32(sums[k][1], _mm256_madd_epi16(odd, row[3]));
          }
        }
      }
      for (size_t k = 0; k < kRows; ++k) {
        auto* to = reinterpret_cast<__m256i*>(block.sums + (p + k) * kTile + v * kLanes);
        _mm256_storeu_si256(to, sums[k][0]);
        _mm256_storeu_si256(to + 1, sums[k][1]);
      }
    }
  }
}

/// Multiplies kCount vectors of kRows inputs from `p` on. dpbusd multiplies unsigned by signed bytes exactly.
template <size_t kRows, size_t kCount>
[[gnu::target("avx512f,avx512bw,avx512vnni")]] void multiply_rows(const PackedWeights& weights,
                                                                  const ProductBlock& block, size_t first, size_t p) {
  __m512i sums[kCount][kRows];
#pragma GCC unroll 4
  for (size_t v = 0; v < kCount; ++v) {
    const __m512i start = _mm512_loadu_si512(block.starts + (first + v) * kLanes);
#pragma GCC unroll 8
    for (size_t k = 0; k < kRows; ++k) sums[v][k] = start;
  }
  const uint8_t* w = weights.of_vector(first);
  const size_t vector_bytes = weights.vector_bytes();
  for (const uint32_t run : block.runs) {
    const uint8_t* x[kRows];
#pragma GCC unroll 8
    for (size_t k = 0; k < kRows; ++k) x[k] = block.positions[p + k] + run;
    for (size_t q = 0; q < weights.quads(); ++q, w += 4 * kLanes) {
      __m512i row[kCount];
#pragma GCC unroll 4
      for (size_t v = 0; v < kCount; ++v) row[v] = _mm512_loadu_si512(w + v * vector_bytes);
#pragma GCC unroll 8
      for (size_t k = 0; k < kRows; ++k) {
        const __m512i quad = _mm512_set1_epi32(quad_at(x[k] + 4 * q));
        // With the intrinsic, GCC would copy every sum.
#pragma GCC unroll 4
        for (size_t v = 0; v < kCount; ++v) asm("vpdpbusd %2, %1, %0" : "+v"(sums[v][k]) : "v"(quad), "v"(row[v]));
      }
    }
  }
#pragma GCC unroll 4
  for (size_t v = 0; v < kCount; ++v) {
#pragma GCC unroll 8
    for (size_t k = 0; k < kRows; ++k) {
      _mm512_storeu_si512(block.sums + (p + k) * kTile + v * kLanes, sums[v][k]);
    }
  }
}

template <size_t kRows, size_t kCount>
void multiply_all(const PackedWeights& weights, const ProductBlock& block, size_t first) {
  size_t p = 0;
  for (; p + 1 < block.count; p += kRows) multiply_rows<kRows, kCount>(weights, block, first, p);
  if (p < block.count) multiply_rows<1, kCount>(weights, block, first, p);
}

/// Takes as many rows at once as there are registers.
void multiply_vnni(const PackedWeights& weights, const ProductBlock& block, size_t first, size_t vectors) {
  if (vectors == 4) return multiply_all<6, 4>(weights, block, first);
  if (vectors == 3) return multiply_all<8, 3>(weights, block, first);
  if (vectors == 2) return multiply_all<8, 2>(weights, block, first);
  multiply_all<8, 1>(weights, block, first);
}
#endif

}  // namespace

PackedWeights::PackedWeights(Simd simd, size_t outputs, size_t runs, size_t run_length,
                             const std::function<int8_t(size_t o, size_t r, size_t i)>& element)
    : simd_(simd),
      outputs_(outputs),
      quads_((run_length + 3) / 4),
      vector_bytes_(runs * quads_ * bytes_of_quad(simd)),
      bytes_(vectors() * vector_bytes_),
      sums_(outputs) {
  for (size_t o = 0; o < outputs; ++o) {
    for (size_t r = 0; r < runs; ++r) {
      for (size_t i = 0; i < run_length; ++i) {
        const int8_t weight = element(o, r, i);
        sums_[o] += static_cast<uint32_t>(int32_t{weight});
        uint8_t* quad = bytes_.data() + o / kLanes * vector_bytes_ + (r * quads_ + i / 4) * bytes_of_quad(simd);
        const size_t lane = o % kLanes;
        if (simd != Simd::kAvx2) {
          quad[4 * lane + i % 4] = static_cast<uint8_t>(weight);
          continue;
        }
        // For each eight outputs, the weights of even bytes, then those of odd ones, in pairs of 16 bits.
        const size_t at = lane / 8 * 64 + i % 2 * 32 + lane % 8 * 4 + i % 4 / 2 * 2;
        const int16_t wide = weight;
        std::memcpy(quad + at, &wide, sizeof(wide));
      }
    }
  }
}

void multiply(const PackedWeights& weights, const ProductBlock& block, size_t first, size_t vectors) {
  check(vectors >= 1 && vectors <= kVectors && block.count <= kPositions, "a block of products");
#if defined(__x86_64__)
  if (weights.simd() == Simd::kAvx512Vnni) return multiply_vnni(weights, block, first, vectors);
  if (weights.simd() == Simd::kAvx2) return multiply_avx2(weights, block, first, vectors);
#endif
  multiply_portable(weights, block, first, vectors);
}

}  // namespace covenant::compiler::values
