/// The performance counters of a core, under names that its users know.
#pragma once

#include <vector>

#include "sim/run/event_count.h"
#include "sim/vliw/contexts.h"

namespace covenant::sim::vliw {

/// Events of V66's performance monitor have their names there; `<memory>_...` are those of each cache.
std::vector<EventCount> events_of(const Pipeline& pipeline, const acg::Machine& machine);

/// Counters of one of several contexts that it does not share with the others.
std::vector<EventCount> events_of_context(const Pipeline& pipeline);

/// Counters of several contexts together. Precondition: they count cycles.
std::vector<EventCount> events_of(const Contexts& contexts, const acg::Machine& machine);

}  // namespace covenant::sim::vliw
