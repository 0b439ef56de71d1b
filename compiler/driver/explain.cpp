#include "compiler/driver/explain.h"

#include <algorithm>

#include "compiler/choice/scheduled_layers.h"
#include "compiler/driver/families.h"
#include "compiler/mapping/sequence.h"
#include "compiler/network/tensor_uses.h"
#include "compiler/schedule/pinned.h"
#include "compiler/schedule/print.h"
#include "compiler/tiled/pipeline.h"

namespace covenant::compiler {
namespace {

std::string best_schedule(const std::string& layer, const Alternative& best) {
  if (!best.search) return "";
  LayerSchedule schedule = schedule_of(*best.search);
  schedule.layer = layer;
  schedule.lowering = best.layer.lowering;
  return print_schedules("", {schedule});
}

/// The only alternative of a layer of the compiled network: its schedule, if it has one, with what that leaves open.
Result<std::vector<Alternative>> only_way(const FusedNetwork& fused, size_t index, LayerSearch& search,
                                          const CompileOptions& options) {
  const NetworkLayer& layer = fused.network.layers[index];
  const auto in_layer = [&](Diagnostic error) {
    error.subject = layer.layer.name;
    return error;
  };
  const LayerSchedule* chosen = schedules_of(options.schedules, fused.network)[index];
  if (chosen == nullptr && fused.searches[index]) {
    return std::vector{Alternative{layer, true, fused.searches[index]}};
  }
  const Result<codelet::Codelet> packed = map_to_machine(fused.codelets[index], search.machine());
  if (!packed) return in_layer(packed.error());
  Result<ScheduleSearch> found = search.search(*packed, chosen);
  if (!found) return in_layer(found.error());
  return std::vector{Alternative{layer, true, std::move(*found)}};
}

/// The network made from a model, and its earlier forms.
struct Made {
  const Network& layers;  ///< as in the model
  const Network& chosen;  ///< with lowerings chosen and tensors placed in storages
  const FusedNetwork& fused;
};

/// The model's layers before lowerings are chosen, with tensors in the storages that were chosen.
Network stored_as_chosen(const Made& made, const acg::Machine& machine) {
  Network result = made.layers;
  set_storages(result, made.chosen.activations, machine);
  return result;
}

/// The number of layers if there is no such.
size_t index_of(const Network& network, const std::string& layer) {
  const auto found = std::find_if(network.layers.begin(), network.layers.end(),
                                  [&](const NetworkLayer& one) { return one.layer.name == layer; });
  return static_cast<size_t>(found - network.layers.begin());
}

/// The alternatives of a layer that the user has not decided on, the chosen one first.
std::vector<Alternative> open_ways(const Made& made, size_t index, LayerSearch& search, const CompileOptions& options) {
  std::vector<Alternative> ways =
      alternatives(stored_as_chosen(made, search.machine()), index, search, options.codelets, options.makers);
  const NetworkLayer& chosen = made.chosen.layers[index];
  const size_t place = index_of(made.fused.network, chosen.layer.name);  // by itself it may take another form
  const std::string& lowering =
      place < made.fused.network.layers.size() ? made.fused.network.layers[place].lowering : chosen.lowering;
  std::stable_partition(ways.begin(), ways.end(),
                        [&](const Alternative& way) { return way.as_stored && way.layer.lowering == lowering; });
  return ways;
}

/// The alternatives of layer `index` of the model. A layer with a schedule of its own is never fused.
Result<std::vector<Alternative>> ways_left(const Made& made, size_t index, LayerSearch& search,
                                           const CompileOptions& options) {
  const std::string& name = made.layers.layers[index].layer.name;
  const LayerSchedule* schedule = schedules_of(options.schedules, made.layers)[index];
  if (schedule == nullptr || schedule->layer != name) return open_ways(made, index, search, options);
  return only_way(made.fused, index_of(made.fused.network, name), search, options);
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
                                       const CompileOptions& options, Families families) {
  const FamilyTarget target = target_for(machine, options.optimisations, families);
  if (const Status supported = target->check_supported(); !supported) return supported.error();
  const Result<const TiledTarget*> layered = tiled_target(target, "an explanation of a layer");
  if (!layered) return layered.error();
  const TiledTarget& tiled = **layered;
  LayerSearch search = search_for(tiled, options);
  const Result<Network> network = prepared_layers(graph, graph.name, tiled, search, options);
  if (!network) return network.error();
  const Result<Network> chosen = chosen_network(*network, search, options);
  if (!chosen) return chosen.error();
  const Result<FusedNetwork> fused = fused_network(*chosen, search, options);
  if (!fused) return fused.error();
  const Made made{*network, *chosen, *fused};
  std::vector<std::string> names;
  for (size_t i = 0; i < network->layers.size(); ++i) {
    const std::string& name = network->layers[i].layer.name;
    if (name == layer) {
      return explanation_of(name, ways_left(made, i, search, options), verdicts_about(*fused, {name}));
    }
    names.push_back(name);
  }
  for (size_t i = 0; i < fused->network.layers.size(); ++i) {
    const NetworkLayer& one = fused->network.layers[i];
    if (one.fused.empty()) continue;
    if (one.layer.name == layer) {
      return explanation_of(one.layer.name, only_way(*fused, i, search, options), verdicts_about(*fused, one.fused));
    }
    names.push_back(one.layer.name);
  }
  return Diagnostic{"GEN0041",          {},    graph.name,           "the model has no such layer",
                    std::string(layer), names, "choose one of these"};
}

Result<LayerExplanation> explain_model(std::string_view model_path, const acg::Machine& machine, std::string_view layer,
                                       const CompileOptions& given, Families families) {
  const Result<CompileOptions> options = with_library(given);
  if (!options) return options.error();
  const Result<srdfg::Graph> graph = read_model(model_path, *options);
  if (!graph) return graph.error();
  return explain_layer(*graph, machine, layer, *options, families);
}

}  // namespace covenant::compiler
