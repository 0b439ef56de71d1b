#include "compiler/explain.h"

#include "compiler/frontend/load_model.h"
#include "compiler/layers.h"
#include "compiler/passes/force.h"
#include "compiler/passes/tile.h"
#include "compiler/schedule/print.h"

namespace covenant::compiler {
namespace {

std::string best_schedule(const std::string& layer, const Alternative& best) {
  if (!best.search) return "";
  LayerSchedule schedule = schedule_of(*best.search);
  schedule.layer = layer;
  schedule.embedding = best.embedding.name;
  return print_schedules("", {schedule});
}

/// The ways that are left to a layer: of one with a schedule the one that it names.
Result<std::vector<Alternative>> ways_left(const Network& network, size_t index, const acg::Machine& machine,
                                           const std::vector<LayerSchedule>& given) {
  if (given.empty()) return alternatives(network, index, machine);
  const Result<Network> embedded = embed(network, machine, "", given);
  if (!embedded) return embedded.error();
  const LayerSchedule* schedule = find_schedule(given, network, index);
  if (schedule == nullptr) return alternatives(network, index, machine);
  const NetworkLayer& layer = embedded->layers[index];
  const Result<codelet::Codelet> packed = packed_codelet(layer, machine);
  if (!packed) return packed.error();
  Result<ScheduleSearch> search = schedules(*packed, machine, {.remainders = true}, schedule);
  if (!search) {
    Diagnostic error = search.error();
    error.subject = layer.layer.name;
    return error;
  }
  return std::vector{Alternative{{layer.embedding, layer, {}}, std::move(*search)}};
}

}  // namespace

Result<LayerExplanation> explain_layer(const srdfg::Graph& graph, const acg::Machine& machine, std::string_view layer,
                                       const std::vector<LayerSchedule>& schedules) {
  const Result<Network> network = make_layers(graph, machine);
  if (!network) return network.error();
  std::vector<std::string> names;
  for (size_t i = 0; i < network->layers.size(); ++i) {
    const std::string& name = network->layers[i].layer.name;
    if (name == layer) {
      Result<std::vector<Alternative>> ways = ways_left(*network, i, machine, schedules);
      if (!ways) return ways.error();
      std::string schedule = best_schedule(name, ways->front());
      return LayerExplanation{name, std::move(*ways), std::move(schedule)};
    }
    names.push_back(name);
  }
  return Diagnostic{"GEN0041",          {},    graph.name,           "the model has no such layer",
                    std::string(layer), names, "choose one of these"};
}

Result<LayerExplanation> explain_model(std::string_view model_path, const acg::Machine& machine, std::string_view layer,
                                       const std::vector<LayerSchedule>& schedules) {
  const Result<srdfg::Graph> graph = frontend::load_model(model_path);
  if (!graph) return graph.error();
  return explain_layer(*graph, machine, layer, schedules);
}

}  // namespace covenant::compiler
