/// Integers of 4, 8 or 16 bits as they are packed in memories: little-endian, the first of two in a byte in its low
/// half.
#pragma once

#include <cstdint>
#include <cstring>

namespace covenant::sim {

/// Element `index` of those at `bytes`, extended.
inline int32_t element_at(const uint8_t* bytes, size_t index, uint32_t bits, bool is_unsigned) {
  uint32_t value = 0;
  if (bits == 16) {
    uint16_t both = 0;
    std::memcpy(&both, bytes + 2 * index, sizeof(both));
    value = both;
  } else {
    value = bits == 8 ? bytes[index] : bytes[index / 2] >> (index % 2 * 4);
  }
  const uint32_t top = value << (32 - bits);
  return is_unsigned ? static_cast<int32_t>(top >> (32 - bits)) : static_cast<int32_t>(top) >> (32 - bits);
}

}  // namespace covenant::sim
