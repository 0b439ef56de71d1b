#include "sim/units/vliw_core/events.h"

#include "acg/graph/queries.h"

namespace covenant::sim::vliw {

std::vector<EventCount> events_of(const Pipeline& pipeline, const acg::Machine& machine) {
  const PipelineCounts& counts = pipeline.counts();
  std::vector<EventCount> events{
      {"COMMITTED_PKT_ANY", counts.packets},
      {"HVX_PKT", counts.vector_packets},
      {"SCALAR_REGISTER_STALL", counts.waits.scalar_registers},
      {"VFIFO_FULL_STALL", counts.waits.queue},
      {"BRANCH_STALL", counts.waits.branches},
      {"HVX_REG_ORDER", counts.vector_waits.registers},
      {"HVX_LD_L2_OUTSTANDING", counts.vector_waits.loads},
  };
  for (const MemoryPaths::Level& level : pipeline.caches()) {
    const std::string name = get(machine, level.memory).name;
    events.push_back({name + "_LOADS", level.counts.loads});
    events.push_back({name + "_LOAD_MISSES", level.counts.load_misses});
    events.push_back({name + "_STORES", level.counts.stores});
    events.push_back({name + "_STORE_MISSES", level.counts.store_misses});
    events.push_back({name + "_PREFETCHES", level.counts.prefetches});
    events.push_back({name + "_WRITTEN_BACK", level.counts.written_back});
  }
  return events;
}

}  // namespace covenant::sim::vliw
