#include "compiler/driver/pipeline.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <optional>

#include "acg/base/check.h"
#include "compiler/driver/families.h"
#include "compiler/driver/stages.h"
#include "compiler/frontends/onnx/normalize.h"
#include "compiler/frontends/onnx/onnx.h"
#include "compiler/frontends/onnx/operators.h"
#include "compiler/library/folder.h"
#include "compiler/network/choose.h"
#include "compiler/network/declared_layers.h"
#include "compiler/network/parse.h"
#include "compiler/operators/verify.h"
#include "compiler/tiled/pipeline.h"

namespace covenant::compiler {
namespace {

using codelet::Codelet;

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

Result<acg::Program> compile_graph(const srdfg::Graph& graph, const acg::Machine& machine, const std::string& model,
                                   const CompileOptions& options) {
  const std::unique_ptr<Target> target = target_for(machine, options.optimisations);
  if (const Status supported = target->check_supported(); !supported) return supported.error();
  if (Status s = report(options, "normalized", stage_text(graph)); !s) return s.error();
  return target->compile(graph, model, options);
}

Result<acg::Program> compile_network(const Network& network, const acg::Machine& machine,
                                     const CompileOptions& options) {
  const std::unique_ptr<Target> target = target_for(machine, options.optimisations);
  if (const Status supported = target->check_supported(); !supported) return supported.error();
  if (const Status agreed = check_lowerings(network, options.schedules); !agreed) return agreed.error();
  const TiledTarget& tiled = tiled_target(*target);
  LayerSearch search = search_for(tiled, options);
  return compile_chosen(network, tiled, search, options);
}

Result<acg::Program> compile(std::string_view model_path, const acg::Machine& machine, const CompileOptions& given) {
  const Result<CompileOptions> options = with_library(given);
  if (!options) return options.error();
  if (const std::optional<std::string> text = network_text(model_path)) {
    const std::unique_ptr<Target> target = target_for(machine, options->optimisations);
    const Result<Network> network =
        parse_network(*text, model_path, tiled_target(*target).costs().machine(), options->codelets);
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
