/// Traces in the Chrome trace event format, which ui.perfetto.dev opens.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "sim/trace/flows.h"
#include "sim/trace/slice.h"

namespace covenant::sim {

/// One track per name in `tracks`, slices in the order given, then an arrow for each flow; one cycle is shown as one
/// microsecond.
/// The same bytes for equal arguments; all numbers are integers.
std::string perfetto_trace(const std::vector<std::string>& tracks, std::span<const TraceSlice> slices,
                           std::span<const TraceFlow> flows);

}  // namespace covenant::sim
