/// Accumulator arithmetic: how a sum wraps or saturates at the width of its accumulator, at most 32 bits.
#pragma once

#include <algorithm>
#include <cstdint>

namespace covenant {

inline constexpr uint32_t kWordBits = 32;  ///< width of the word that holds an accumulator

/// `sum` modulo 2^bits, in two's complement, extended to 32 bits. Precondition: 1 <= bits <= 32.
constexpr int32_t wrapped(uint32_t sum, uint32_t bits) {
  const uint32_t unused = kWordBits - bits;
  return static_cast<int32_t>(sum << unused) >> unused;
}

/// `sum` clamped to the range of a signed number of `bits` bits. Precondition: 1 <= bits <= 32.
constexpr int32_t saturated(int64_t sum, uint32_t bits) {
  const int64_t end = int64_t{1} << (bits - 1);
  return static_cast<int32_t>(std::clamp(sum, -end, end - 1));
}

}  // namespace covenant
