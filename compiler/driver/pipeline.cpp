#include "compiler/driver/pipeline.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <optional>

#include "acg/base/check.h"
#include "compiler/binding/declared_codelets.h"
#include "compiler/binding/read_network.h"
#include "compiler/choice/choose.h"
#include "compiler/driver/families.h"
#include "compiler/driver/stages.h"
#include "compiler/driver/state.h"
#include "compiler/frontends/onnx/normalize.h"
#include "compiler/frontends/onnx/onnx.h"
#include "compiler/frontends/onnx/operators.h"
#include "compiler/layers/layers.h"
#include "compiler/library/folder.h"
#include "compiler/network/parse.h"
#include "compiler/operators/verify.h"
#include "compiler/tiled/pipeline.h"

namespace covenant::compiler {
namespace {

using codelet::Codelet;

std::string file_name(std::string_view path) { return std::string(path.substr(path.find_last_of('/') + 1)); }

Staged<acg::Program> in_file(Staged<acg::Program> program, std::string_view path) {
  if (program || program.stopped() != nullptr) return program;
  return in_file(program.error(), path);
}

/// The text in the file, if it is that of a network.
std::optional<std::string> network_text(std::string_view path) {
  std::ifstream file{std::string(path), std::ios::binary};
  std::string start(16, '\0');
  if (!file.read(start.data(), static_cast<std::streamsize>(start.size())) || !is_network_text(start)) return {};
  return start + std::string{std::istreambuf_iterator<char>(file), {}};
}

/// The text of the stage `asked` for, one of `names`, when `run` compiles.
Result<std::string> text_after(std::string_view asked, const std::vector<std::string>& names, const std::string& layer,
                               CompileOptions options,
                               const std::function<Staged<acg::Program>(const CompileOptions&)>& run) {
  const std::string_view stage = stage_named(asked);
  if (std::find(names.begin(), names.end(), stage) == names.end()) {
    return Diagnostic{"GEN0030", {}, "", "there is no such stage", std::string(asked), names, "choose one of these"};
  }
  options.last_stage = stage;
  options.last_layer = layer;
  const Staged<acg::Program> made = run(options);
  if (const Stopped* stopped = made.stopped()) return stopped->text;
  if (!made) return made.error();
  return Diagnostic{"GEN0030",
                    {},
                    "",
                    "no program for " + made->machine.name + " goes through this stage",
                    std::string(asked),
                    names,
                    "choose another one of these"};
}

/// Refuses options that only families of layers take.
Status check_layered(const FamilyTarget& target, const CompileOptions& options) {
  std::string_view asked;
  if (!options.schedules.empty()) asked = "schedules of layers";
  if (!options.codelets.empty()) asked = "a library of codelets";
  if (!options.lowering.empty()) asked = "a lowering of layers";
  if (asked.empty()) return Done{};
  const Result<const TiledTarget*> tiled = tiled_target(target, asked);
  return tiled ? Status(Done{}) : Status(tiled.error());
}

Staged<acg::Program> program_of(const srdfg::Graph& graph, const FamilyTarget& target, const std::string& model,
                                const CompileOptions& options) {
  if (const Status supported = target->check_supported(); !supported) return supported.error();
  if (const Status layered = check_layered(target, options); !layered) return layered.error();
  if (const Status checked = check_state(graph, options.state); !checked) return checked.error();
  if (Staged<Done> s = report(options, "normalized", stage_text(graph)); !s) return s.ended();
  Staged<acg::Program> program = target->compile(graph, model, options);
  if (program) program->state = options.state;
  return program;
}

Staged<acg::Program> program_of(const Network& network, const TiledTarget& target, const CompileOptions& options) {
  if (const Status supported = target.check_supported(); !supported) return supported.error();
  if (const Status agreed = check_lowerings(network, options.schedules); !agreed) return agreed.error();
  if (!options.state.empty()) {
    return Diagnostic{"GEN0073",
                      {},
                      network.name,
                      "the text of a network does not say how its inputs and outputs are quantised, as state needs",
                      options.state[0].output + " -> " + options.state[0].input,
                      {},
                      "compile the model in its place"};
  }
  LayerSearch search = search_for(target, options);
  return compile_chosen(network, target, search, options);
}

constexpr std::string_view kNetworkText = "the text of a network";

Staged<acg::Program> program_of_text(std::string_view text, std::string_view file, const FamilyTarget& target,
                                     const CompileOptions& options) {
  const Result<const TiledTarget*> tiled = tiled_target(target, kNetworkText);
  if (!tiled) return tiled.error();
  const Result<Network> network = read_network(text, file, (*tiled)->costs().machine(), options.codelets);
  return network ? program_of(*network, **tiled, options) : network.error();
}

/// The names of stages from `first` on.
std::vector<std::string> stages_from(std::string_view first, Families families) {
  std::vector<std::string> names = stage_names(families);
  names.erase(names.begin(), std::find(names.begin(), names.end(), first));
  return names;
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

Staged<srdfg::Graph> read_model(std::string_view model_path, const CompileOptions& options) {
  const srdfg::DeclaredOperators declared = declared_operators(options.codelets);
  const Result<srdfg::Graph> read = options.content.empty() ? frontend::read_onnx(model_path, declared)
                                                            : frontend::read_onnx_bytes(options.content, declared);
  if (!read) return in_file(read.error(), model_path);
  if (Staged<Done> s = report(options, "srdfg", stage_text(*read)); !s) return s.ended();
  Result<srdfg::Graph> normalized = frontend::normalize(*read, declared);
  if (!normalized) return in_file(normalized.error(), model_path);
  const Status verified = operators::verify_normalized(*normalized, declared);
  check(static_cast<bool>(verified), "after normalize: " + (verified ? "" : render(verified.error())));
  return normalized;
}

Result<Network> layers_of_graph(const srdfg::Graph& graph, const acg::Machine& machine, const CompileOptions& options,
                                Families families) {
  Result<Network> network = make_layers(graph, machine, options.codelets);
  if (!network) return network;
  const FamilyTarget target = target_for(machine, options.optimisations, families);
  const TiledTarget* tiled = target->tiled();
  return tiled != nullptr ? tiled->prepared(std::move(*network)) : std::move(*network);
}

Result<Network> read_layers(std::string_view model_path, const acg::Machine& machine, const CompileOptions& options,
                            Families families) {
  if (const std::optional<std::string> text = network_text(model_path)) {
    return read_network(*text, model_path, machine, options.codelets);
  }
  const Result<srdfg::Graph> graph = read_model(model_path, options);
  if (!graph) return graph.error();
  Result<Network> network = layers_of_graph(*graph, machine, options, families);
  if (!network) return in_file(network.error(), model_path);
  return network;
}

Staged<acg::Program> compile_graph(const srdfg::Graph& graph, const acg::Machine& machine, const std::string& model,
                                   const CompileOptions& options, Families families) {
  return program_of(graph, target_for(machine, options.optimisations, families), model, options);
}

Staged<acg::Program> compile_network(const Network& network, const acg::Machine& machine, const CompileOptions& options,
                                     Families families) {
  const FamilyTarget target = target_for(machine, options.optimisations, families);
  const Result<const TiledTarget*> tiled = tiled_target(target, kNetworkText);
  return tiled ? program_of(network, **tiled, options) : tiled.error();
}

Staged<acg::Program> compile(std::string_view model_path, const acg::Machine& machine, const CompileOptions& given,
                             Families families) {
  const Result<CompileOptions> options = with_library(given);
  if (!options) return options.error();
  const FamilyTarget target = target_for(machine, options->optimisations, families);
  if (const std::optional<std::string> text = network_text(model_path)) {
    return in_file(program_of_text(*text, model_path, target, *options), model_path);
  }
  const Staged<srdfg::Graph> graph = read_model(model_path, *options);
  if (!graph) return graph.ended();
  return in_file(program_of(*graph, target, file_name(model_path), *options), model_path);
}

Result<std::string> emit(std::string_view model_path, const acg::Machine& machine, std::string_view stage,
                         const CompileOptions& options, const std::string& emit_layer, Families families) {
  const auto run = [&](const CompileOptions& stopping) { return compile(model_path, machine, stopping, families); };
  const std::string_view first = network_text(model_path) ? "network" : "srdfg";
  return text_after(stage, stages_from(first, families), emit_layer, options, run);
}

Result<std::string> emit_graph(const srdfg::Graph& graph, const acg::Machine& machine, const std::string& model,
                               std::string_view stage, const CompileOptions& options, const std::string& emit_layer,
                               Families families) {
  const auto run = [&](const CompileOptions& stopping) {
    return compile_graph(graph, machine, model, stopping, families);
  };
  return text_after(stage, stages_from("normalized", families), emit_layer, options, run);
}

}  // namespace covenant::compiler
