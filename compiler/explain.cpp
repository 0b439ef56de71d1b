#include "compiler/explain.h"

#include <algorithm>

#include "acg/base/check.h"
#include "compiler/frontend/load_model.h"
#include "compiler/layers.h"
#include "compiler/library/library.h"
#include "compiler/passes/bind.h"
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

Result<std::vector<Alternative>> only_way(const NetworkLayer& layer, const codelet::Codelet& packed,
                                          const acg::Machine& machine, const LayerSchedule* schedule) {
  Result<ScheduleSearch> search = schedules(packed, machine, {.remainders = true}, schedule);
  if (!search) {
    Diagnostic error = search.error();
    error.subject = layer.layer.name;
    return error;
  }
  return std::vector{Alternative{{layer.embedding, layer, {}}, std::move(*search)}};
}

/// The ways that are left to a layer: of one with a schedule the one that it names.
Result<std::vector<Alternative>> ways_left(const Network& network, size_t index, const acg::Machine& machine,
                                           const std::vector<LayerSchedule>& given) {
  const LayerSchedule* schedule = find_schedule(given, network, index);
  if (schedule == nullptr || schedule->layer != network.layers[index].layer.name) {
    return alternatives(network, index, machine);
  }
  const Result<Network> embedded = embed(network, machine, "", given);
  if (!embedded) return embedded.error();
  const NetworkLayer& layer = embedded->layers[index];
  const Result<codelet::Codelet> packed = packed_codelet(layer, machine);
  if (!packed) return packed.error();
  return only_way(layer, *packed, machine, schedule);
}

/// The network as it is compiled.
Result<FusedNetwork> fused_network(const Network& network, const acg::Machine& machine,
                                   const std::vector<LayerSchedule>& given) {
  const Result<Network> embedded = embed(network, machine, "", given);
  if (!embedded) return embedded.error();
  std::vector<codelet::Codelet> codelets;
  for (const NetworkLayer& layer : embedded->layers) {
    const Result<codelet::Codelet> library = library_codelet(layer.operation);
    if (!library) return library.error();
    Result<codelet::Codelet> bound = bind(*library, layer.layer);
    if (!bound) return bound.error();
    codelets.push_back(std::move(*bound));
  }
  FusedNetwork fused = fuse_layers(*embedded, codelets, machine, given);
  if (const Status followed = check_followed(fused, given); !followed) return followed.error();
  return fused;
}

/// Of layers that are fused.
Result<std::vector<Alternative>> ways_left(const FusedNetwork& fused, size_t index, const acg::Machine& machine,
                                           const std::vector<LayerSchedule>& given) {
  const Result<codelet::Codelet> packed = packed_codelet(fused.codelets[index], machine);
  if (!packed) return packed.error();
  return only_way(fused.network.layers[index], *packed, machine, find_schedule(given, fused.network, index));
}

std::vector<FusionVerdict> verdicts_about(const FusedNetwork& fused, const std::vector<std::string>& layers) {
  std::vector<FusionVerdict> result;
  for (const FusionVerdict& verdict : fused.verdicts) {
    const bool is_about = std::any_of(layers.begin(), layers.end(), [&](const std::string& layer) {
      return std::find(verdict.layers.begin(), verdict.layers.end(), layer) != verdict.layers.end();
    });
    if (is_about) result.push_back(verdict);
  }
  return result;
}

Result<LayerExplanation> explanation_of(const std::string& layer, Result<std::vector<Alternative>> ways,
                                        std::vector<FusionVerdict> fusions) {
  if (!ways) return ways.error();
  std::string schedule = best_schedule(layer, ways->front());
  return LayerExplanation{layer, std::move(*ways), std::move(schedule), std::move(fusions)};
}

}  // namespace

Result<LayerExplanation> explain_layer(const srdfg::Graph& graph, const acg::Machine& machine, std::string_view layer,
                                       const std::vector<LayerSchedule>& schedules) {
  const Result<Network> network = make_layers(graph, machine);
  if (!network) return network.error();
  const Result<FusedNetwork> fused = fused_network(*network, machine, schedules);
  if (!fused) return fused.error();
  std::vector<std::string> names;
  for (size_t i = 0; i < network->layers.size(); ++i) {
    const std::string& name = network->layers[i].layer.name;
    if (name == layer) {
      return explanation_of(name, ways_left(*network, i, machine, schedules), verdicts_about(*fused, {name}));
    }
    names.push_back(name);
  }
  for (size_t i = 0; i < fused->network.layers.size(); ++i) {
    const NetworkLayer& one = fused->network.layers[i];
    if (one.fused.empty()) continue;
    if (one.layer.name == layer) {
      return explanation_of(one.layer.name, ways_left(*fused, i, machine, schedules),
                            verdicts_about(*fused, one.fused));
    }
    names.push_back(one.layer.name);
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
