/// Timing of a vliw_core's memory accesses: the caches between its registers and off-chip memory.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "acg/graph/graph.h"
#include "sim/vliw/cache.h"
#include "sim/vliw/line_edge.h"

namespace covenant::sim::vliw {

/// Traffic through one cache.
struct CacheCounts {
  uint64_t loads = 0, load_misses = 0, stores = 0, store_misses = 0, prefetches = 0, written_back = 0;
  bool operator==(const CacheCounts&) const = default;
};

/// The caches on the paths from off-chip memory to all register files of a machine; paths share the caches that they
/// have in common. Every register file has a path of its own, nearest cache first. The cache next to off-chip memory
/// writes back and allocates on stores; those nearer to the registers write through and allocate on loads.
class MemoryPaths {
 public:
  /// Fault SIM0061: no way from an off-chip memory to a register file that loads would take.
  explicit MemoryPaths(const acg::Machine& machine);
  // Its edge refers to its moments.
  MemoryPaths(const MemoryPaths&) = delete;
  MemoryPaths& operator=(const MemoryPaths&) = delete;

  /// A way's number, by the register file at its end.
  size_t way_to(acg::MemoryId registers) const;

  /// The moment at which all bytes of a load that begins in cycle `now` have arrived.
  uint64_t load(size_t way, uint64_t address, uint32_t bytes, uint64_t now);
  /// A store whose value is available at the moment `now`. It delays nothing except later loads from its lines.
  /// `is_masked`: it may leave bytes unchanged.
  void store(size_t way, uint64_t address, uint32_t bytes, bool is_masked, uint64_t now);
  /// Begins to bring a line into the cache before off-chip memory.
  void prefetch(uint64_t address, uint64_t now);

  /// From now on off-chip memory is asked when it answers (LineEdge::ask_with). Call before any load or store.
  void ask_with(std::function<void(const LineEdge::Request&)> ask) { edge_.ask_with(std::move(ask), moments_); }
  Moments& moments() { return moments_; }
  LineEdge& edge() { return edge_; }
  const LineEdge& edge() const { return edge_; }
  /// The number of the cache before off-chip memory among the levels, and the bytes of its lines.
  size_t last() const { return last_; }
  uint32_t last_line_bytes() const { return caches_[last_].line_bytes(); }
  struct Level {
    acg::MemoryId memory;
    CacheCounts counts;
  };
  const std::vector<Level>& levels() const { return levels_; }

 private:
  size_t cache_of(const acg::Machine& machine, acg::MemoryId memory);
  uint64_t load_line(std::span<const size_t> way, uint64_t address, uint64_t now);
  void store_line(uint64_t number, bool is_whole, uint64_t now);
  void write_back(size_t cache, const Cache::Taken& taken, uint64_t now);

  std::vector<Cache> caches_;
  std::vector<Level> levels_;  ///< per cache
  struct Way {
    acg::MemoryId registers;
    std::vector<size_t> caches;  ///< nearest to the registers first
  };
  std::vector<Way> ways_;
  size_t last_ = 0;  ///< the cache before off-chip memory
  Moments moments_;
  LineEdge edge_{0, 1};
};

}  // namespace covenant::sim::vliw
