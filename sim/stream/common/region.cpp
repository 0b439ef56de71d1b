#include "sim/stream/common/region.h"

#include <algorithm>
#include <cstdlib>

#include "acg/isa/retire_record.h"
#include "sim/stream/common/memory_image.h"

namespace covenant::sim {

Region::Region(uint32_t memory_index, uint64_t first_byte, uint64_t bytes)
    : memory(memory_index), start(first_byte), run_bytes(bytes), low(first_byte), high(first_byte + bytes) {}

void Region::add_level(uint32_t count, int64_t stride) {
  if (count <= 1 || stride == 0) return;
  const int64_t extent = static_cast<int64_t>(count - 1) * stride;
  if (extent > 0) {
    high += static_cast<uint64_t>(extent);
  } else {
    low -= static_cast<uint64_t>(-extent);
  }
  counts[levels] = count;
  strides[levels] = stride;
  ++levels;
}

namespace {

/// Levels of a region as (distance in bytes, count), smallest distance first; the rest of the array is unused.
std::array<std::pair<uint64_t, uint32_t>, kRegionLevels> by_distance(const Region& region) {
  std::array<std::pair<uint64_t, uint32_t>, kRegionLevels> order{};
  order.fill({UINT64_MAX, 1});
  for (uint32_t level = 0; level < region.levels; ++level) {
    order[level] = {static_cast<uint64_t>(std::abs(region.strides[level])), region.counts[level]};
  }
  std::sort(order.begin(), order.end());
  return order;
}

}  // namespace

bool Region::is_dense() const {
  // Each level must start where the smaller ones have filled up to, or earlier.
  const auto order = by_distance(*this);
  uint64_t filled = run_bytes;
  for (uint32_t level = 0; level < levels; ++level) {
    if (order[level].first > filled) return false;
    filled += order[level].first * (order[level].second - 1);
  }
  return true;
}

bool runs_are_disjoint(const Region& region) {
  const auto order = by_distance(region);
  uint64_t extent = region.run_bytes;
  for (uint32_t level = 0; level < region.levels; ++level) {
    if (order[level].first < extent) return false;
    extent += order[level].first * (order[level].second - 1);
  }
  return true;
}

uint64_t digest_of(const Region& region, std::span<const uint8_t> bytes) {
  uint64_t sum = 0;
  if (region.low >= region.high) return sum;
  if (runs_are_disjoint(region)) {
    any_run(region, [&](uint64_t first) {
      sum += digest_of(region.memory, first, bytes.subspan(first, region.run_bytes));
      return false;
    });
    return sum;
  }
  std::vector<bool> seen(region.high - region.low, false);
  any_run(region, [&](uint64_t first) {
    for (uint64_t byte = first; byte < first + region.run_bytes; ++byte) {
      if (seen[byte - region.low]) continue;
      seen[byte - region.low] = true;
      sum += acg::write_hash(region.memory, byte, bytes[byte]);
    }
    return false;
  });
  return sum;
}

namespace {

/// Exact test by marking: the bytes of `a` inside [low, high), then those of `b` against them.
bool overlap_exactly(const Region& a, const Region& b, uint64_t low, uint64_t high) {
  std::vector<bool> marked(high - low, false);
  const auto clipped = [low, high](uint64_t first, uint64_t bytes) {
    const uint64_t from = std::clamp(first, low, high);
    const uint64_t to = std::clamp(first + bytes, low, high);
    return std::pair{static_cast<std::ptrdiff_t>(from - low), static_cast<std::ptrdiff_t>(to - low)};
  };
  any_run(a, [&](uint64_t first) {
    const auto [from, to] = clipped(first, a.run_bytes);
    std::fill(marked.begin() + from, marked.begin() + to, true);
    return false;
  });
  return any_run(b, [&](uint64_t first) {
    const auto [from, to] = clipped(first, b.run_bytes);
    return std::find(marked.begin() + from, marked.begin() + to, true) != marked.begin() + to;
  });
}

}  // namespace

bool overlap(const Region& a, const Region& b) {
  if (a.memory != b.memory) return false;
  const uint64_t low = std::max(a.low, b.low);
  const uint64_t high = std::min(a.high, b.high);
  if (low >= high) return false;
  if (a.is_dense() && b.is_dense()) return true;
  return overlap_exactly(a, b, low, high);
}

}  // namespace covenant::sim
