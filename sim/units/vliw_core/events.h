/// What a pipeline has counted, under names that its users know.
#pragma once

#include <vector>

#include "sim/execute.h"
#include "sim/units/vliw_core/pipeline.h"

namespace covenant::sim::vliw {

/// Events of V66's performance monitor have their names there; `<memory>_...` are those of each cache.
std::vector<EventCount> events_of(const Pipeline& pipeline, const acg::Machine& machine);

}  // namespace covenant::sim::vliw
