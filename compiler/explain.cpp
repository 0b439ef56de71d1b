#include "compiler/explain.h"

#include "compiler/frontend/load_model.h"
#include "compiler/layers.h"
#include "compiler/passes/force.h"
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

}  // namespace

Result<LayerExplanation> explain_layer(const srdfg::Graph& graph, const acg::Machine& machine, std::string_view layer) {
  const Result<Network> network = make_layers(graph, machine);
  if (!network) return network.error();
  std::vector<std::string> names;
  for (size_t i = 0; i < network->layers.size(); ++i) {
    const std::string& name = network->layers[i].layer.name;
    if (name == layer) {
      std::vector<Alternative> ways = alternatives(*network, i, machine);
      std::string schedule = best_schedule(name, ways.front());
      return LayerExplanation{name, std::move(ways), std::move(schedule)};
    }
    names.push_back(name);
  }
  return Diagnostic{"GEN0041",          {},    graph.name,           "the model has no such layer",
                    std::string(layer), names, "choose one of these"};
}

Result<LayerExplanation> explain_model(std::string_view model_path, const acg::Machine& machine,
                                       std::string_view layer) {
  const Result<srdfg::Graph> graph = frontend::load_model(model_path);
  if (!graph) return graph.error();
  return explain_layer(*graph, machine, layer);
}

}  // namespace covenant::compiler
