/// Parameters that a benchmark layer gives to the codelets `gemm_sums` and `conv_sums`, or to others with the same
/// params.
#pragma once

#include "compiler/benchmarks/layers.h"
#include "compiler/passes/bind.h"

namespace covenant::compiler::testing {

/// Params of the layer; with the dtypes of the table (bytes to 32-bit sums) unless the codelet has its own.
Layer benchmark_params(const BenchmarkLayer& one, bool with_dtypes);

}  // namespace covenant::compiler::testing
