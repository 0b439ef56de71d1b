/// What no schedule of a benchmark layer can do better than.
#pragma once

#include <cstdint>

#include "acg/graph/graph.h"
#include "compiler/benchmarks/layers.h"
#include "compiler/target/stream/bound.h"

namespace covenant::compiler {

using stream::Bound;

/// How it is worked out, and the precondition: compiler/target/stream/bound.h. Of a machine that issues packets: what
/// they can multiply, and what off-chip memory moves.
Bound bound_of(const BenchmarkLayer& layer, const acg::Machine& machine, uint64_t words);

}  // namespace covenant::compiler
