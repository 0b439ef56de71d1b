#include "compiler/benchmarks/bound.h"

namespace covenant::compiler {
namespace {

stream::Volumes volumes_of(const BenchmarkLayer& layer) {
  const uint64_t macs = benchmark_macs(layer);
  if (layer.kind == BenchmarkKind::kGemm) {
    return {macs, layer.heads * layer.m * layer.k, layer.heads * layer.k * layer.n, layer.heads * layer.m * layer.n};
  }
  return {macs, layer.batch * layer.in_channels * layer.input_rows * layer.input_columns,
          layer.kernel * layer.kernel * layer.in_channels * layer.out_channels,
          layer.batch * layer.out_channels * layer.output_rows * layer.output_columns};
}

}  // namespace

Bound bound_of(const BenchmarkLayer& layer, const acg::Machine& machine, uint64_t words) {
  return stream::bound_of(volumes_of(layer), machine, words);
}

}  // namespace covenant::compiler
