#include "compiler/benchmarks/compile_layer.h"

#include "compiler/benchmarks/layer_graph.h"
#include "compiler/pipeline.h"

namespace covenant::compiler {

Result<acg::Program> compile_layer(std::string_view name, const acg::Machine& machine, const Crop& crop) {
  const Result<BenchmarkLayer> layer = benchmark_layer(name);
  if (!layer) return layer.error();
  return compile_graph(benchmark_graph(cropped(*layer, crop)), machine, layer->name);
}

Result<LayerExplanation> explain_benchmark(std::string_view name, const acg::Machine& machine, const Crop& crop) {
  const Result<BenchmarkLayer> layer = benchmark_layer(name);
  if (!layer) return layer.error();
  return explain_layer(benchmark_graph(cropped(*layer, crop)), machine, layer->name);
}

Result<std::string> benchmark_weights(std::string_view name) {
  const Result<BenchmarkLayer> layer = benchmark_layer(name);
  if (!layer) return layer.error();
  const srdfg::Graph graph = benchmark_graph(*layer);
  const std::vector<uint8_t>& data = graph.get(graph.nodes.at(0).inputs.at(1)).data;
  return std::string(data.begin(), data.end());
}

Result<std::string> emit_layer(std::string_view name, const acg::Machine& machine, std::string_view pass) {
  const Result<BenchmarkLayer> layer = benchmark_layer(name);
  if (!layer) return layer.error();
  return emit_graph(benchmark_graph(*layer), machine, layer->name, pass);
}

}  // namespace covenant::compiler
