#include "compiler/benchmarks/compile_layer.h"

#include <algorithm>

#include "acg/base/suggest.h"
#include "compiler/benchmarks/layer_graph.h"
#include "compiler/codelet/diagnose.h"
#include "compiler/network/network.h"

namespace covenant::compiler {
namespace {

/// True if a layer of a network is the one of the table, or one that a machine computes before it (`name`/sums).
bool is_part(const std::string& layer, const std::string& name) {
  return layer == name || layer.starts_with(name + "/");
}

/// The options, with only those schedules that are for this layer.
Result<CompileOptions> of_layer(const std::string& name, const CompileOptions& options) {
  std::vector<std::string> table;
  for (const BenchmarkLayer& layer : benchmark_layers()) table.push_back(layer.name);
  CompileOptions result = options;
  for (const LayerSchedule& schedule : options.schedules) {
    const auto is_it = [&](const std::string& layer) { return is_part(schedule.layer, layer); };
    if (std::any_of(table.begin(), table.end(), is_it)) continue;
    return codelet::diagnose("SCH0010", schedule.where, "", "the table has no such layer", schedule.layer, table,
                             suggest(schedule.layer, table));
  }
  std::erase_if(result.schedules, [&](const LayerSchedule& schedule) { return !is_part(schedule.layer, name); });
  return result;
}

}  // namespace

Result<acg::Program> compile_layer(std::string_view name, const acg::Machine& machine, const Crop& crop,
                                   const CompileOptions& options) {
  const Result<BenchmarkLayer> layer = benchmark_layer(name);
  if (!layer) return layer.error();
  const Result<CompileOptions> own = of_layer(layer->name, options);
  if (!own) return own.error();
  return compile_graph(benchmark_graph(cropped(*layer, crop)), machine, layer->name, *own);
}

Result<LayerExplanation> explain_benchmark(std::string_view name, const acg::Machine& machine, const Crop& crop,
                                           const CompileOptions& options) {
  const Result<BenchmarkLayer> layer = benchmark_layer(name);
  if (!layer) return layer.error();
  const Result<CompileOptions> own = of_layer(layer->name, options);
  if (!own) return own.error();
  return explain_layer(benchmark_graph(cropped(*layer, crop)), machine, layer->name, *own);
}

Result<std::string> benchmark_weights(std::string_view name) {
  const Result<BenchmarkLayer> layer = benchmark_layer(name);
  if (!layer) return layer.error();
  const srdfg::Graph graph = benchmark_graph(*layer);
  const std::vector<uint8_t>& data = graph.get(graph.nodes.at(0).inputs.at(1)).data;
  return std::string(data.begin(), data.end());
}

Result<std::vector<LayerEmbeddings>> benchmark_embeddings(std::string_view name, const acg::Machine& machine,
                                                          const EmbeddingRequest& request) {
  const Result<BenchmarkLayer> layer = benchmark_layer(name);
  if (!layer) return layer.error();
  Result<Network> network = layers_of_graph(benchmark_graph(*layer), machine);
  if (!network) return network.error();
  std::erase_if(network->layers, [&](const NetworkLayer& one) { return !is_part(one.layer.name, layer->name); });
  return embeddings_of_network(*network, machine, request);
}

Result<std::string> emit_layer(std::string_view name, const acg::Machine& machine, std::string_view pass,
                               const CompileOptions& options) {
  const Result<BenchmarkLayer> layer = benchmark_layer(name);
  if (!layer) return layer.error();
  const Result<CompileOptions> own = of_layer(layer->name, options);
  if (!own) return own.error();
  return emit_graph(benchmark_graph(*layer), machine, layer->name, pass, *own);
}

}  // namespace covenant::compiler
