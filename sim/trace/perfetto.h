/// Traces in the Chrome trace event format, which ui.perfetto.dev opens.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "acg/graph/graph.h"
#include "offchip/statistics.h"
#include "sim/trace/flow.h"
#include "sim/trace/slice.h"

namespace covenant::sim {

/// Activity of an off-chip memory, as tracks of its own below those of the machine.
struct MemoryTrace {
  std::string name;
  uint64_t period = 1;  ///< period of the machine's clock in picoseconds
  offchip::Timeline timeline;
};
/// The trace of memory `name` of a machine, with the memory model `model`.
MemoryTrace trace_of_memory(const std::string& name, const std::string& model, const acg::Machine& machine,
                            offchip::Timeline timeline);

/// One track per name in `tracks`, slices in the order given, then an arrow for each flow; one cycle is shown as one
/// microsecond. Then a group of tracks for each of `memories`; a slice there ends where the next one of its track
/// begins. The same bytes for equal arguments; numbers are integers, those of memories have thousandths.
std::string perfetto_trace(const std::vector<std::string>& tracks, std::span<const TraceSlice> slices,
                           std::span<const TraceFlow> flows, std::span<const MemoryTrace> memories = {});

}  // namespace covenant::sim
