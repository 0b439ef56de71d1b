#include "sim/vliw/events.h"

#include <algorithm>
#include <fmt/format.h>

#include "acg/graph/queries.h"

namespace covenant::sim::vliw {
namespace {

std::vector<EventCount> events_of(const PipelineCounts& counts) {
  return {
      {"COMMITTED_PKT_ANY", counts.packets},
      {"HVX_PKT", counts.vector_packets},
      {"SCALAR_REGISTER_STALL", counts.waits.scalar_registers},
      {"VFIFO_FULL_STALL", counts.waits.queue},
      {"BRANCH_STALL", counts.waits.branches},
      {"HVX_REG_ORDER", counts.vector_waits.registers},
      {"HVX_LD_L2_OUTSTANDING", counts.vector_waits.loads},
  };
}

/// Adds the stalls of a context that other contexts cause.
void add_of_sharing(const PipelineCounts& counts, std::vector<EventCount>& events) {
  events.push_back({"ISSUE_TURN_STALL", counts.waits.turn});
  events.push_back({"HVX_WAIT", counts.vector_waits.units});
}

void add_of_caches(const Pipeline& pipeline, const acg::Machine& machine, std::vector<EventCount>& events) {
  for (const MemoryPaths::Level& level : pipeline.caches()) {
    const std::string name = get(machine, level.memory).name;
    events.push_back({name + "_LOADS", level.counts.loads});
    events.push_back({name + "_LOAD_MISSES", level.counts.load_misses});
    events.push_back({name + "_STORES", level.counts.stores});
    events.push_back({name + "_STORE_MISSES", level.counts.store_misses});
    events.push_back({name + "_PREFETCHES", level.counts.prefetches});
    events.push_back({name + "_WRITTEN_BACK", level.counts.written_back});
  }
}

const Pipeline& pipeline_of(const Contexts& contexts, size_t context) {
  return contexts.at(context).pipeline().value();
}

/// For each number of contexts, the cycles in which exactly so many had not ended.
void add_of_running(const Contexts& contexts, std::vector<EventCount>& events) {
  std::vector<uint64_t> ends;
  for (size_t i = 0; i < contexts.count(); ++i) ends.push_back(pipeline_of(contexts, i).cycles());
  std::sort(ends.rbegin(), ends.rend());
  ends.push_back(0);
  for (size_t i = 0; i < contexts.count(); ++i) {
    events.push_back({fmt::format("CYCLES_{}_THREAD_RUNNING", i + 1), ends[i] - ends[i + 1]});
  }
}

}  // namespace

std::vector<EventCount> events_of(const Pipeline& pipeline, const acg::Machine& machine) {
  std::vector<EventCount> events = events_of(pipeline.counts());
  add_of_caches(pipeline, machine, events);
  return events;
}

std::vector<EventCount> events_of_context(const Pipeline& pipeline) {
  std::vector<EventCount> events = events_of(pipeline.counts());
  add_of_sharing(pipeline.counts(), events);
  return events;
}

std::vector<EventCount> events_of(const Contexts& contexts, const acg::Machine& machine) {
  PipelineCounts all;
  for (size_t i = 0; i < contexts.count(); ++i) all += pipeline_of(contexts, i).counts();
  std::vector<EventCount> events = events_of(all);
  add_of_sharing(all, events);
  events.push_back({"COMMITTED_PKT_SMT", pipeline_of(contexts, 0).shared().turns.shared_clocks()});
  for (size_t i = 0; i < contexts.count(); ++i) {
    events.push_back({fmt::format("COMMITTED_PKT_T{}", i), contexts.at(i).packets()});
  }
  add_of_running(contexts, events);
  add_of_caches(pipeline_of(contexts, 0), machine, events);
  return events;
}

}  // namespace covenant::sim::vliw
