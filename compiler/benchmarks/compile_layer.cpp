#include "compiler/benchmarks/compile_layer.h"

#include <algorithm>

#include "acg/base/suggest.h"
#include "compiler/benchmarks/layer_graph.h"
#include "compiler/codelet/diagnose.h"

namespace covenant::compiler {
namespace {

/// True if the schedule is for the layer, or for one that a machine computes before it (`name`/sums).
bool is_about(const LayerSchedule& schedule, const std::string& name) {
  return schedule.layer == name || schedule.layer.starts_with(name + "/");
}

/// The options, with only those schedules that are for this layer.
Result<CompileOptions> of_layer(const std::string& name, const CompileOptions& options) {
  std::vector<std::string> table;
  for (const BenchmarkLayer& layer : benchmark_layers()) table.push_back(layer.name);
  CompileOptions result = options;
  for (const LayerSchedule& schedule : options.schedules) {
    const auto is_it = [&](const std::string& layer) { return is_about(schedule, layer); };
    if (std::any_of(table.begin(), table.end(), is_it)) continue;
    return codelet::diagnose("SCH0010", schedule.where, "", "the table has no such layer", schedule.layer, table,
                             suggest(schedule.layer, table));
  }
  std::erase_if(result.schedules, [&](const LayerSchedule& schedule) { return !is_about(schedule, name); });
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

Result<std::string> emit_layer(std::string_view name, const acg::Machine& machine, std::string_view pass,
                               const CompileOptions& options) {
  const Result<BenchmarkLayer> layer = benchmark_layer(name);
  if (!layer) return layer.error();
  const Result<CompileOptions> own = of_layer(layer->name, options);
  if (!own) return own.error();
  return emit_graph(benchmark_graph(*layer), machine, layer->name, pass, *own);
}

}  // namespace covenant::compiler
