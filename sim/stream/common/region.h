/// Strided byte ranges of a memory that a command touches.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace covenant::sim {

/// As many loops as any unit has in one command.
inline constexpr uint32_t kRegionLevels = 8;

/// Runs of `run_bytes` bytes at `start + sum over levels of index * stride`, all within `[low, high)`. Levels that do
/// not move the address are left out, so equal regions that are built in the same way compare equal.
struct Region {
  uint32_t memory = 0;
  uint32_t levels = 0;
  uint64_t start = 0;
  uint64_t run_bytes = 0;
  uint64_t low = 0;
  uint64_t high = 0;
  std::array<uint32_t, kRegionLevels> counts{};
  std::array<int64_t, kRegionLevels> strides{};

  Region() = default;
  Region(uint32_t memory_index, uint64_t first_byte, uint64_t bytes);
  /// Adds an inner level of `count` iterations, `stride` bytes apart. Precondition: all addresses stay non-negative.
  void add_level(uint32_t count, int64_t stride);
  /// True if every byte of the bounding range is touched for sure.
  bool is_dense() const;

  bool operator==(const Region&) const = default;
};

/// One side of a command's use of memory.
struct Access {
  Region region;
  bool is_write = false;
};

/// Calls `visit(first byte)` for every run, the last level fastest, until it returns true; returns whether one did.
template <typename Visit>
bool any_run(const Region& region, Visit&& visit) {
  std::array<uint32_t, kRegionLevels> index{};
  int64_t address = static_cast<int64_t>(region.start);
  while (true) {
    if (visit(static_cast<uint64_t>(address))) return true;
    uint32_t level = region.levels;
    while (level > 0 && ++index[level - 1] == region.counts[level - 1]) {
      --level;
      address -= region.strides[level] * static_cast<int64_t>(region.counts[level] - 1);
      index[level] = 0;
    }
    if (level == 0) return false;
    address += region.strides[level - 1];
  }
}

/// True if no two runs share a byte (sufficient test on the strides; false may also mean "not known").
bool runs_are_disjoint(const Region& region);

/// Digest of the bytes of a region, each once; `bytes` are those of its whole memory.
uint64_t digest_of(const Region& region, std::span<const uint8_t> bytes);

/// True if the two touch a common byte. Bounding ranges first; if these overlap, exact (bytes marked one by one).
bool overlap(const Region& a, const Region& b);

}  // namespace covenant::sim
