/// Sums that have less than 32 bits.
#pragma once

#include <cstdint>

namespace covenant {

inline constexpr uint32_t kWordBits = 32;  ///< of what sums lie in

/// `sum` modulo 2^bits, in two's complement, extended to 32 bits. Precondition: 1 <= bits <= 32.
constexpr int32_t wrapped(uint32_t sum, uint32_t bits) {
  const uint32_t unused = kWordBits - bits;
  return static_cast<int32_t>(sum << unused) >> unused;
}

}  // namespace covenant
