/// Lower bound on the cycles of a benchmark layer under any schedule.
#pragma once

#include <cstdint>

#include "acg/graph/graph.h"
#include "compiler/benchmarks/layers.h"
#include "compiler/families/stream/bound.h"

namespace covenant::compiler {

using stream::Bound;

/// Derivation and precondition: compiler/families/stream/bound.h. For machines that issue packets: from the peak rate
/// of multiplications and the bandwidth of off-chip memory.
Bound bound_of(const BenchmarkLayer& layer, const acg::Machine& machine, uint64_t words);

}  // namespace covenant::compiler
