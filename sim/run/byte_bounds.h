/// Bounds of bytes in a memory.
#pragma once

#include <algorithm>
#include <cstdint>

namespace covenant::sim {

/// All bytes from `low` to before `high`; none at first.
struct ByteBounds {
  uint64_t low = UINT64_MAX;
  uint64_t high = 0;
  void add(uint64_t first, uint64_t end) {
    low = std::min(low, first);
    high = std::max(high, end);
  }
};

}  // namespace covenant::sim
