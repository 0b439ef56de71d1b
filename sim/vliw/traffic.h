/// Traffic between a core's registers and off-chip memory, as entries of statistics.
#pragma once

#include <cstdint>
#include <vector>

#include "acg/graph/graph.h"
#include "sim/stats/statistics.h"
#include "sim/vliw/memory_path.h"

namespace covenant::sim::vliw {

/// Counts since the start of a run.
struct Traffic {
  std::vector<CacheCounts> caches;  ///< as MemoryPaths::levels
  uint64_t bytes_read = 0;          ///< over the edge of off-chip memory: lines that were fetched, prefetches included
  uint64_t bytes_written = 0;       ///< dirty lines that were replaced
  uint64_t beats = 0;

  Traffic& operator-=(const Traffic& before);
};

Traffic traffic_of(const MemoryPaths& paths);

/// Accesses to lines of each cache, by `load`, `store`, `fill` and `write_back`; operands without one are left out.
std::vector<AccessStatistics> accesses_of(const acg::Machine& machine, const MemoryPaths& paths,
                                          const Traffic& traffic);

/// The edge between off-chip memory and the cache next to it.
OffchipStatistics offchip_of(const acg::Machine& machine, const Traffic& traffic);

}  // namespace covenant::sim::vliw
