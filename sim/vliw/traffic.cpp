#include "sim/vliw/traffic.h"

#include <string>

#include "acg/base/check.h"
#include "acg/graph/queries.h"

namespace covenant::sim::vliw {
namespace {

CacheCounts without(const CacheCounts& now, const CacheCounts& before) {
  return {now.loads - before.loads,           now.load_misses - before.load_misses,
          now.stores - before.stores,         now.store_misses - before.store_misses,
          now.prefetches - before.prefetches, now.written_back - before.written_back};
}

}  // namespace

Traffic& Traffic::operator-=(const Traffic& before) {
  check(caches.size() == before.caches.size(), "traffic of one machine");
  for (size_t i = 0; i < caches.size(); ++i) caches[i] = without(caches[i], before.caches[i]);
  bytes_read -= before.bytes_read;
  bytes_written -= before.bytes_written;
  beats -= before.beats;
  return *this;
}

Traffic traffic_of(const MemoryPaths& paths) {
  Traffic traffic;
  for (const MemoryPaths::Level& level : paths.levels()) traffic.caches.push_back(level.counts);
  traffic.bytes_read = paths.edge().bytes_read();
  traffic.bytes_written = paths.edge().bytes_written();
  traffic.beats = paths.edge().beats();
  return traffic;
}

std::vector<AccessStatistics> accesses_of(const acg::Machine& machine, const MemoryPaths& paths,
                                          const Traffic& traffic) {
  const std::string core = acg::engines(machine).at(acg::core_engine(machine).value()).name;
  std::vector<AccessStatistics> accesses;
  for (size_t i = 0; i < traffic.caches.size(); ++i) {
    const std::string& name = acg::get(machine, paths.levels()[i].memory).name;
    const CacheCounts& counts = traffic.caches[i];
    const bool is_last = i == paths.last();
    // Prefetches, and stores of a part of a line, fill the last cache, too.
    const uint64_t fills = is_last ? traffic.bytes_read / paths.last_line_bytes() : counts.load_misses;
    const auto add = [&](const char* operand, uint64_t reads, uint64_t writes) {
      if (reads + writes > 0) accesses.push_back({name, core, operand, reads, writes});
    };
    add("load", counts.loads, 0);
    add("store", 0, counts.stores);
    add("fill", 0, fills);
    add("write_back", counts.written_back, 0);
  }
  return accesses;
}

OffchipStatistics offchip_of(const acg::Machine& machine, const Traffic& traffic) {
  const acg::Edge& edge = machine.edges.at(acg::line_edge(machine).value());
  const std::string& cache = acg::name_of(machine, edge.to);
  return {acg::name_of(machine, edge.from) + "->" + cache,
          cache,
          traffic.bytes_read,
          traffic.bytes_written,
          0,
          traffic.beats};
}

}  // namespace covenant::sim::vliw
