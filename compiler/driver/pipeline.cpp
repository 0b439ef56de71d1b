#include "compiler/driver/pipeline.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <optional>

#include "acg/base/check.h"
#include "compiler/codelet/verify.h"
#include "compiler/driver/families.h"
#include "compiler/driver/stages.h"
#include "compiler/frontends/onnx/normalize.h"
#include "compiler/frontends/onnx/onnx.h"
#include "compiler/frontends/onnx/operators.h"
#include "compiler/library/folder.h"
#include "compiler/network/bind_layer.h"
#include "compiler/network/choose.h"
#include "compiler/network/declared_layers.h"
#include "compiler/network/layer_results.h"
#include "compiler/network/layers.h"
#include "compiler/network/padded_images.h"
#include "compiler/network/parse.h"
#include "compiler/operators/verify.h"
#include "compiler/passes/hoist.h"
#include "compiler/passes/insert_transfers.h"
#include "compiler/passes/map.h"
#include "compiler/passes/pack.h"
#include "compiler/passes/place.h"
#include "compiler/passes/route.h"
#include "compiler/passes/strip_mine.h"
#include "compiler/schedule/pinned.h"
#include "compiler/schedule/print.h"
#include "compiler/schedule/splits.h"

namespace covenant::compiler {
namespace {

using codelet::Codelet;

/// Returned internally by a stopped compilation; never leaves this file.
const Diagnostic& stopped() {
  static const Diagnostic diagnostic{"stopped", {}, "", "compilation was stopped after a pass", "", {}, ""};
  return diagnostic;
}

std::string file_name(std::string_view path) { return std::string(path.substr(path.find_last_of('/') + 1)); }

Diagnostic in_file(Diagnostic diagnostic, std::string_view path) {
  if (diagnostic.where.file.empty()) diagnostic.where.file = std::string(path);
  return diagnostic;
}

Result<acg::Program> in_file(Result<acg::Program> program, std::string_view path) {
  if (!program) return in_file(program.error(), path);
  return program;
}

/// The text in the file, if it is that of a network.
std::optional<std::string> network_text(std::string_view path) {
  std::ifstream file{std::string(path), std::ios::binary};
  std::string start(16, '\0');
  if (!file.read(start.data(), static_cast<std::streamsize>(start.size())) || !is_network_text(start)) return {};
  return start + std::string{std::istreambuf_iterator<char>(file), {}};
}

Status report(const CompileOptions& options, std::string_view stage, const StageText& text) {
  if (options.after_stage && !options.after_stage(stage, text)) return stopped();
  return Done{};
}

/// Adds the layer to a diagnostic. For a user's codelet, one without a source location is located at `codelet`.
Diagnostic about(const NetworkLayer& layer, Diagnostic diagnostic, const SourceLocation& codelet = {}) {
  diagnostic.subject = layer.layer.name;
  if (diagnostic.where.line == 0 && codelet.line != 0) diagnostic.where = codelet;
  return diagnostic;
}

/// Runs one pass on every layer's codelet, verifies each and reports.
Status each(const Network& network, std::vector<Codelet>& codelets, const acg::Machine& machine,
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
Status report_schedules(const Network& network, const std::vector<ScheduleSearch>& searches,
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
Result<std::vector<Codelet>> schedule(const FusedNetwork& fused, LayerSearch& search, const CompileOptions& options) {
  const acg::Machine& machine = search.machine();
  std::vector<Codelet> codelets = fused.codelets;
  const auto run = [&](std::string_view pass, const auto& function) {
    return each(fused.network, codelets, machine, options, pass, function);
  };
  const auto place_and_route = [&](const Codelet& c, Layered) -> Result<Codelet> {
    const Result<Codelet> placed = place(c, machine);
    return placed ? route(*placed, machine) : placed;
  };
  if (Status s = run("placed", place_and_route); !s) return s.error();
  if (Status s = run("mapped", [&](const Codelet& c, Layered) { return map(c, machine); }); !s) return s.error();
  if (Status s = run("packed", [&](const Codelet& c, Layered) { return pack(c, machine); }); !s) return s.error();
  const Result<std::vector<ScheduleSearch>> searches = searches_of(fused, codelets, search, options);
  if (!searches) return searches.error();
  if (Status s = report_schedules(fused.network, *searches, machine, options); !s) return s.error();
  auto next = searches->begin();
  const auto strip_mine_next = [&](const Codelet& c, Layered) -> Result<Codelet> {
    const ScheduleSearch& found = *next++;
    return strip_mine(c, machine, parts_of(found.problem, found.simulated.front()));
  };
  if (Status s = run("strip_mined", strip_mine_next); !s) return s.error();
  const auto move_tiles = [&](const Codelet& c, Layered) -> Result<Codelet> { return insert_transfers(c, machine); };
  if (Status s = run("transferred", move_tiles); !s) return s.error();
  if (Status s = run("tiled", [&](const Codelet& c, Layered) -> Result<Codelet> { return hoist(c); }); !s) {
    return s.error();
  }
  return codelets;
}

/// Compiles the chosen network to the program.
Result<acg::Program> compile_chosen(const Network& network, const Target& target, LayerSearch& search,
                                    const CompileOptions& options) {
  if (Status s = report(options, "network", stage_text(network)); !s) return s.error();
  const Result<FusedNetwork> fused = fused_network(network, search, options);
  if (!fused) return fused.error();
  const Result<std::vector<Codelet>> tiled = schedule(*fused, search, options);
  if (!tiled) return tiled.error();
  // From here on, each family has its own passes.
  const auto report_stage = [&](std::string_view stage, const StageText& text) { return report(options, stage, text); };
  Result<acg::Program> program = target.emit(fused->network, *tiled, network.model, report_stage);
  if (program && options.after_emission) options.after_emission(layer_results(fused->network, *tiled, *program));
  return program;
}

/// The text that `stage`, one of `names`, reports while `run` compiles.
Result<std::string> text_after(std::string_view asked, const std::vector<std::string>& names, const std::string& layer,
                               CompileOptions options,
                               const std::function<Result<acg::Program>(const CompileOptions&)>& run) {
  const std::string_view stage = stage_named(asked);
  if (std::find(names.begin(), names.end(), stage) == names.end()) {
    return Diagnostic{"GEN0030", {}, "", "there is no such stage", std::string(asked), names, "choose one of these"};
  }
  std::optional<Result<std::string>> text;
  options.after_stage = [&](std::string_view done, const StageText& made) {
    if (done == stage) text = rendered(made, layer);
    return done != stage;
  };
  const Result<acg::Program> program = run(options);
  if (text) return *text;
  if (!program) return program.error();
  return Diagnostic{"GEN0030",
                    {},
                    "",
                    "no program for " + program->machine.name + " goes through this stage",
                    std::string(asked),
                    names,
                    "choose another one of these"};
}

}  // namespace

Result<CompileOptions> with_library(const CompileOptions& options) {
  if (options.library.empty()) return options;
  Result<std::vector<Codelet>> codelets = load_codelets(options.library, frontend::operator_names());
  if (!codelets) return codelets.error();
  CompileOptions result = options;
  result.codelets = std::move(*codelets);
  return result;
}

Result<srdfg::Graph> read_model(std::string_view model_path, const CompileOptions& options) {
  const srdfg::DeclaredOperators declared = declared_operators(options.codelets);
  const Result<srdfg::Graph> read = options.content.empty() ? frontend::read_onnx(model_path, declared)
                                                            : frontend::read_onnx_bytes(options.content, declared);
  if (!read) return in_file(read.error(), model_path);
  if (Status s = report(options, "srdfg", stage_text(*read)); !s) return s.error();
  Result<srdfg::Graph> normalized = frontend::normalize(*read, declared);
  if (!normalized) return in_file(normalized.error(), model_path);
  const Status verified = operators::verify_normalized(*normalized, declared);
  check(static_cast<bool>(verified), "after normalize: " + (verified ? "" : render(verified.error())));
  return normalized;
}

Result<Network> chosen_network(const Network& network, LayerSearch& search, const CompileOptions& options) {
  Network roomy = network;
  pad_images(roomy, search.machine());
  Result<Network> chosen = choose_lowerings(roomy, search, options.lowering, options.schedules, options.codelets);
  if (chosen) set_lifetimes(*chosen);
  return chosen;
}

Result<FusedNetwork> fused_network(const Network& network, LayerSearch& search, const CompileOptions& options) {
  const acg::Machine& machine = search.machine();
  std::vector<Codelet> codelets;
  for (const NetworkLayer& layer : network.layers) {
    Result<Codelet> codelet = codelet_of(layer, options.codelets);
    if (!codelet) return about(layer, codelet.error());
    codelets.push_back(std::move(*codelet));
  }
  const auto bind = [&](const Codelet& c, Layered layer) { return bind_layer(c, layer, machine); };
  if (Status s = each(network, codelets, machine, options, "bound", bind); !s) return s.error();
  FusedNetwork result =
      options.fusion ? fuse_layers(network, codelets, search, options.schedules)
                     : FusedNetwork{network, codelets, std::vector<std::optional<ScheduleSearch>>(codelets.size()), {}};
  if (const Status followed = check_followed(result, options.schedules); !followed) return followed.error();
  for (const Codelet& codelet : result.codelets) {
    const Status verified = codelet::verify(codelet, &machine);
    check(static_cast<bool>(verified), "after fusing: " + (verified ? "" : render(verified.error())));
  }
  if (Status s = report(options, "fused", stage_text(result.network, result.codelets)); !s) return s.error();
  return result;
}

Result<acg::Program> compile_graph(const srdfg::Graph& graph, const acg::Machine& machine, const std::string& model,
                                   const CompileOptions& options) {
  const std::unique_ptr<Target> target = target_for(machine, options.optimisations);
  if (const Status supported = target->check_supported(); !supported) return supported.error();
  if (Status s = report(options, "normalized", stage_text(graph)); !s) return s.error();
  Result<Network> network = make_layers(graph, target->costs().machine(), options.codelets);
  if (!network) return network.error();
  network->model = model;
  target->prepare(*network);
  LayerSearch search(target->costs(), target->search_limits(), options.threads);
  const Result<Network> chosen = chosen_network(*network, search, options);
  return chosen ? compile_chosen(*chosen, *target, search, options) : chosen.error();
}

Result<acg::Program> compile_network(const Network& network, const acg::Machine& machine,
                                     const CompileOptions& options) {
  const std::unique_ptr<Target> target = target_for(machine, options.optimisations);
  if (const Status supported = target->check_supported(); !supported) return supported.error();
  if (const Status agreed = check_lowerings(network, options.schedules); !agreed) return agreed.error();
  LayerSearch search(target->costs(), target->search_limits(), options.threads);
  return compile_chosen(network, *target, search, options);
}

Result<acg::Program> compile(std::string_view model_path, const acg::Machine& machine, const CompileOptions& given) {
  const Result<CompileOptions> options = with_library(given);
  if (!options) return options.error();
  if (const std::optional<std::string> text = network_text(model_path)) {
    const std::unique_ptr<Target> target = target_for(machine, options->optimisations);
    const Result<Network> network = parse_network(*text, model_path, target->costs().machine(), options->codelets);
    if (!network) return network.error();
    return in_file(compile_network(*network, machine, *options), model_path);
  }
  const Result<srdfg::Graph> graph = read_model(model_path, *options);
  if (!graph) return graph.error();
  return in_file(compile_graph(*graph, machine, file_name(model_path), *options), model_path);
}

Result<std::string> emit(std::string_view model_path, const acg::Machine& machine, std::string_view stage,
                         const CompileOptions& options, const std::string& emit_layer) {
  const auto run = [&](const CompileOptions& stopping) { return compile(model_path, machine, stopping); };
  std::vector<std::string> names = stage_names();
  if (network_text(model_path)) names.erase(names.begin(), names.begin() + 2);  // a network has no graph stages
  return text_after(stage, names, emit_layer, options, run);
}

Result<std::string> emit_graph(const srdfg::Graph& graph, const acg::Machine& machine, const std::string& model,
                               std::string_view stage, const CompileOptions& options, const std::string& emit_layer) {
  std::vector<std::string> names = stage_names();
  names.erase(names.begin());  // a graph has no ONNX model stage
  const auto run = [&](const CompileOptions& stopping) { return compile_graph(graph, machine, model, stopping); };
  return text_after(stage, names, emit_layer, options, run);
}

}  // namespace covenant::compiler
