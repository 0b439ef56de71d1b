#include "compiler/tiled/pipeline.h"

#include <functional>
#include <optional>
#include <utility>

#include "acg/base/check.h"
#include "compiler/binding/bind_layer.h"
#include "compiler/binding/declared_codelets.h"
#include "compiler/binding/layer_codelet.h"
#include "compiler/choice/choose.h"
#include "compiler/choice/replacements.h"
#include "compiler/choice/scheduled_layers.h"
#include "compiler/codelet/verify.h"
#include "compiler/emission/layer_results.h"
#include "compiler/layers/layers.h"
#include "compiler/layers/padded_images.h"
#include "compiler/mapping/sequence.h"
#include "compiler/schedule/pinned.h"
#include "compiler/schedule/print.h"
#include "compiler/schedule/splits.h"

namespace covenant::compiler {
namespace {

using codelet::Codelet;

/// Adds the layer to a diagnostic. For a user's codelet, one without a source location is located at `codelet`.
Diagnostic about(const NetworkLayer& layer, Diagnostic diagnostic, const SourceLocation& codelet = {}) {
  diagnostic.subject = layer.layer.name;
  if (diagnostic.where.line == 0 && codelet.line != 0) diagnostic.where = codelet;
  return diagnostic;
}

/// Runs one pass on every layer's codelet, verifies each and reports.
Staged<Done> each(const Network& network, std::vector<Codelet>& codelets, const acg::Machine& machine,
                  const CompileOptions& options, std::string_view stage,
                  const std::function<Result<Codelet>(const Codelet&, const NetworkLayer&)>& run) {
  for (size_t i = 0; i < codelets.size(); ++i) {
    Result<Codelet> made = run(codelets[i], network.layers[i]);
    const bool is_users = find_codelet(options.codelets, network.layers[i].operation) != nullptr;
    if (!made) return about(network.layers[i], made.error(), is_users ? codelets[i].where : SourceLocation{});
    const Status verified = codelet::verify(*made, &machine);
    // Some mistakes are detected only when sizes and dtypes are known; after the first stage they are bugs of ours.
    if (!verified && is_users && stage == "bound") return about(network.layers[i], verified.error());
    check(static_cast<bool>(verified),
          "stage " + std::string(stage) + ": " + (verified ? "" : render(verified.error())));
    codelets[i] = std::move(*made);
  }
  return report(options, stage, stage_text(network, codelets));
}

using Layered = const NetworkLayer&;

/// The schedules of each layer: those found earlier, or searched now.
Result<std::vector<ScheduleSearch>> searches_of(const FusedNetwork& fused, const std::vector<Codelet>& packed,
                                                LayerSearch& search, const CompileOptions& options) {
  const std::vector<const LayerSchedule*> pinned = schedules_of(options.schedules, fused.network);
  std::vector<Codelet> open;
  for (size_t i = 0; i < packed.size(); ++i) {
    if (pinned[i] == nullptr && !fused.searches[i]) open.push_back(packed[i]);
  }
  search.search_all(open);
  std::vector<ScheduleSearch> searches;
  for (size_t i = 0; i < packed.size(); ++i) {
    const std::optional<ScheduleSearch>& known = fused.searches[i];
    if (pinned[i] == nullptr && known) {
      searches.push_back(*known);
      continue;
    }
    const NetworkLayer& layer = fused.network.layers[i];
    Result<ScheduleSearch> found = search.search(packed[i], pinned[i]);
    if (!found) {
      const bool is_users = find_codelet(options.codelets, layer.operation) != nullptr;
      return about(layer, found.error(), is_users ? packed[i].where : SourceLocation{});
    }
    searches.push_back(std::move(*found));
  }
  return searches;
}

/// Reports the chosen schedules in their text form.
Staged<Done> report_schedules(const Network& network, const std::vector<ScheduleSearch>& searches,
                              const acg::Machine& machine, const CompileOptions& options) {
  const auto chosen = [&](size_t layer) {
    LayerSchedule schedule = schedule_of(searches[layer]);
    schedule.layer = network.layers[layer].layer.name;
    schedule.lowering = network.layers[layer].lowering;
    return schedule;
  };
  const auto all = [&] {
    std::vector<LayerSchedule> schedules;
    for (size_t i = 0; i < searches.size(); ++i) schedules.push_back(chosen(i));
    const std::string preset = machine.preset.empty() ? "" : ":" + machine.preset;
    return print_schedules(network.name + " on " + machine.name + preset, schedules);
  };
  const auto one = [&](size_t layer) { return print_schedules("", {chosen(layer)}); };
  return report(options, "scheduled", {layer_names(network), all, one});
}

/// Schedules the bound codelets, up to tiled ones.
Staged<std::vector<Codelet>> schedule(const FusedNetwork& fused, LayerSearch& search, const CompileOptions& options) {
  const acg::Machine& machine = search.machine();
  std::vector<Codelet> codelets = fused.codelets;
  const auto run = [&](std::string_view pass, const auto& function) {
    return each(fused.network, codelets, machine, options, pass, function);
  };
  for (const MappingPass& pass : mapping_passes()) {
    const auto make = [&](const Codelet& c, Layered) { return pass.run(c, machine); };
    if (Staged<Done> s = run(pass.stage, make); !s) return s.ended();
  }
  const Result<std::vector<ScheduleSearch>> searches = searches_of(fused, codelets, search, options);
  if (!searches) return searches.error();
  if (Staged<Done> s = report_schedules(fused.network, *searches, machine, options); !s) return s.ended();
  std::vector<std::vector<Part>> parts;
  for (const ScheduleSearch& found : *searches) parts.push_back(parts_of(found.problem, found.simulated.front()));
  for (const TilingPass& pass : tiling_passes()) {
    auto next = parts.begin();
    const auto make = [&](const Codelet& c, Layered) -> Result<Codelet> { return pass.run(c, machine, *next++); };
    if (Staged<Done> s = run(pass.stage, make); !s) return s.ended();
  }
  return codelets;
}

}  // namespace

LayerSearch search_for(const TiledTarget& target, const CompileOptions& options) {
  return LayerSearch(target.costs(), target.search_limits(), options.threads);
}

Result<Network> prepared_layers(const srdfg::Graph& graph, const std::string& model, const TiledTarget& target,
                                LayerSearch& search, const CompileOptions& options) {
  Result<Network> network = make_layers(graph, target.costs().machine(), options.codelets);
  if (!network) return network;
  network->model = model;
  const Network padded = with_padded_images(target.prepared(std::move(*network)), target.costs().machine());
  return with_replacements(padded, wished_lowerings(options.schedules, padded, options.lowering), search,
                           options.makers, options.codelets);
}

Result<Network> chosen_network(const Network& network, LayerSearch& search, const CompileOptions& options) {
  Result<Network> chosen =
      choose_lowerings(network, search, options.lowering, options.schedules, options.codelets, options.makers);
  return chosen ? Result<Network>(with_lifetimes(std::move(*chosen))) : chosen;
}

Staged<FusedNetwork> fused_network(const Network& network, LayerSearch& search, const CompileOptions& options) {
  const acg::Machine& machine = search.machine();
  std::vector<Codelet> codelets;
  for (const NetworkLayer& layer : network.layers) {
    Result<Codelet> codelet = codelet_of(layer, options.codelets);
    if (!codelet) return about(layer, codelet.error());
    codelets.push_back(std::move(*codelet));
  }
  const auto bind = [&](const Codelet& c, Layered layer) { return bind_layer(c, layer, machine); };
  if (Staged<Done> s = each(network, codelets, machine, options, "bound", bind); !s) return s.ended();
  FusedNetwork result = fuse_layers(network, codelets, search, options.schedules, options.fusion);
  if (const Status followed = check_followed(result, options.schedules); !followed) return followed.error();
  for (const Codelet& codelet : result.codelets) {
    const Status verified = codelet::verify(codelet, &machine);
    check(static_cast<bool>(verified), "after fusing: " + (verified ? "" : render(verified.error())));
  }
  if (Staged<Done> s = report(options, "fused", stage_text(result.network, result.codelets)); !s) return s.ended();
  return result;
}

Staged<acg::Program> compile_chosen(const Network& network, const TiledTarget& target, LayerSearch& search,
                                    const CompileOptions& options) {
  if (Staged<Done> s = report(options, "network", stage_text(network)); !s) return s.ended();
  const Staged<FusedNetwork> fused = fused_network(network, search, options);
  if (!fused) return fused.ended();
  const Staged<std::vector<Codelet>> tiled = schedule(*fused, search, options);
  if (!tiled) return tiled.ended();
  // From here on, each family has its own passes.
  const auto report_stage = [&](std::string_view stage, const StageText& text) { return report(options, stage, text); };
  Staged<acg::Program> program = target.emit(fused->network, *tiled, network.model, report_stage);
  if (program && options.after_emission) options.after_emission(layer_results(fused->network, *tiled, *program));
  return program;
}

Staged<acg::Program> TiledTarget::compile(const srdfg::Graph& graph, const std::string& model,
                                          const CompileOptions& options) const {
  LayerSearch search = search_for(*this, options);
  const Result<Network> network = prepared_layers(graph, model, *this, search, options);
  if (!network) return network.error();
  const Result<Network> chosen = chosen_network(*network, search, options);
  if (!chosen) return chosen.error();
  return compile_chosen(*chosen, *this, search, options);
}

}  // namespace covenant::compiler
