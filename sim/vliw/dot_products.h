/// Sums of four products of bytes, for all words of a vector: the most frequent work of a network's packets.
#pragma once

#include <cstdint>
#include <type_traits>

#include "sim/vliw/registers.h"

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

namespace covenant::sim::vliw {

/// x.w[i] += the sum over k<4 of u[4i+k] * v[4i+k], wrapping; U and V are int8_t or uint8_t.
template <typename U, typename V>
void add_dot_products_portable(Vector& x, const Vector& u, const Vector& v) {
  const auto us = lanes_of<U>(u);
  const auto vs = lanes_of<V>(v);
  auto sums = lanes_of<uint32_t>(x);
  for (size_t i = 0; i < sums.size(); ++i) {
    int32_t sum = 0;
    for (size_t k = 0; k < 4; ++k) sum += us[4 * i + k] * vs[4 * i + k];
    sums[i] += static_cast<uint32_t>(sum);
  }
  x = vector_of(sums);
}

#if defined(__x86_64__)

/// The even or the odd bytes as half words.
template <typename Byte>
inline __m128i even_bytes(__m128i bytes) {
  const __m128i high = _mm_slli_epi16(bytes, 8);
  return std::is_signed_v<Byte> ? _mm_srai_epi16(high, 8) : _mm_srli_epi16(high, 8);
}
template <typename Byte>
inline __m128i odd_bytes(__m128i bytes) {
  return std::is_signed_v<Byte> ? _mm_srai_epi16(bytes, 8) : _mm_srli_epi16(bytes, 8);
}

/// The same with instructions that every x86-64 has: two products of half words are one sum of 32 bits.
template <typename U, typename V>
void add_dot_products(Vector& x, const Vector& u, const Vector& v) {
  for (size_t i = 0; i < kVectorBytes; i += sizeof(__m128i)) {
    const __m128i us = _mm_load_si128(reinterpret_cast<const __m128i*>(u.bytes.data() + i));
    const __m128i vs = _mm_load_si128(reinterpret_cast<const __m128i*>(v.bytes.data() + i));
    auto* const to = reinterpret_cast<__m128i*>(x.bytes.data() + i);
    const __m128i sums = _mm_add_epi32(_mm_madd_epi16(even_bytes<U>(us), even_bytes<V>(vs)),
                                       _mm_madd_epi16(odd_bytes<U>(us), odd_bytes<V>(vs)));
    _mm_store_si128(to, _mm_add_epi32(_mm_load_si128(to), sums));
  }
}

#else

template <typename U, typename V>
void add_dot_products(Vector& x, const Vector& u, const Vector& v) {
  add_dot_products_portable<U, V>(x, u, v);
}

#endif

}  // namespace covenant::sim::vliw
