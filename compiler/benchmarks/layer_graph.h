/// A benchmark layer as a graph of one node, with pseudo-random weights seeded by its name.
#pragma once

#include "compiler/benchmarks/layers.h"
#include "compiler/srdfg/graph.h"

namespace covenant::compiler {

/// Input "x": i8, [heads*M, K] or [batch, channels, rows, columns]; output "y": i32, likewise. Weights are uniform over
/// i8; equal layers have equal weights. The graph is normalised: `conv_sums` or `gemm_sums`.
srdfg::Graph benchmark_graph(const BenchmarkLayer& layer);

}  // namespace covenant::compiler
