/// The compiler from end to end: the order of all passes, as straight-line code.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "acg/base/result.h"
#include "acg/graph/graph.h"
#include "acg/isa/program.h"
#include "compiler/codelet/codelet.h"
#include "compiler/network/fusion.h"
#include "compiler/network/stage_text.h"
#include "compiler/optimisations.h"
#include "compiler/schedule/layer_search.h"
#include "compiler/schedule/schedule.h"
#include "compiler/srdfg/graph.h"

namespace covenant::compiler {

struct CompileOptions {
  /// Called after every stage with its name and what it made; returning false stops compiling.
  std::function<bool(std::string_view stage, const StageText& text)> after_stage{};
  /// Told, with the program done, where in off-chip memory each layer leaves what it makes.
  std::function<void(const std::vector<acg::BlockResult>& results)> after_emission{};
  /// A folder of codelets that implement ONNX operators beside the front end's own; empty: none. `compile` reads it
  /// into `codelets`.
  std::string library{};
  std::vector<codelet::Codelet> codelets{};
  /// The bytes of the ONNX model, in place of those of the file that names it; empty: they are in the file.
  std::string content{};
  /// Layers that can be done in this way are ("plain", "rows", ...; compiler/network/conv_lowerings.h), whatever it
  /// costs. Empty: the cost model chooses.
  std::string lowering{};
  /// What is chosen already: the layers that stand here are done as it is said, and what is left open is searched
  /// (compiler/schedule).
  std::vector<LayerSchedule> schedules{};
  /// Layers whose result another one alone reads may become one with it (compiler/network/fusion.h).
  bool fusion = true;
  /// What of code generation is left out. Refused (GEN0060) for machines whose family cannot do without.
  Optimisations optimisations{};
  /// That search for schedules; 0: as many as the computer has cores. The program does not depend on it.
  size_t threads = 0;
};

/// The ONNX model at `model_path`, or the network whose text is there (compiler/network/print.h), as a program for
/// `machine`. Equal inputs give equal programs.
/// Fails with the codes of the front end (ONX), the passes (CDL), code generation (GEN) and the encoder (ISA); with
/// schedules also SCH0003 and SCH0010 to SCH0019 (docs/reference/diagnostics/SCH.md).
///
///     Result<acg::Program> program = compile("digits_qdq.onnx", *acg::load_machine("genesys"));
/// With a library also those of `load_codelets` (CDL0071, CDL0072, and those of codelets that are none).
Result<acg::Program> compile(std::string_view model_path, const acg::Machine& machine,
                             const CompileOptions& options = {});

/// The same from the normalised graph on. `model` names it in the program.
/// Precondition: srdfg::verify_normalized(graph).
Result<acg::Program> compile_graph(const srdfg::Graph& graph, const acg::Machine& machine, const std::string& model,
                                   const CompileOptions& options = {});

/// The same from the network on: it lies and is done as it says, nothing of that is chosen again.
/// Precondition: the network is whole (compiler/network/verify.h). With schedules also SCH0011 for a layer that the
/// network does in another way.
Result<acg::Program> compile_network(const Network& network, const acg::Machine& machine,
                                     const CompileOptions& options = {});

/// `options` with the codelets of their library, if they name one. Errors: those of `load_codelets`.
Result<CompileOptions> with_library(const CompileOptions& options);

/// The first part of `compile`: the ONNX model as a normalised graph, its operators those of the front end and of
/// `options.codelets`. Fails with the codes of the front end (ONX).
Result<srdfg::Graph> read_model(std::string_view model_path, const CompileOptions& options);

/// The part of `compile_graph` after the layers: each of them in its best way, every tensor in its best storage
/// (compiler/network/choose_storage.h), with its lifetime. Errors: SCHnnnn (a schedule does not suit the network).
Result<Network> chosen_network(const Network& network, LayerSearch& search, const CompileOptions& options);

/// The part between that and schedules: codelets bound, some of them fused. Fails as `compile_graph` does up to there.
Result<FusedNetwork> fused_network(const Network& chosen, LayerSearch& search, const CompileOptions& options);

/// What a stage has of the model, as text (compiler/stages.h; stages also answer to the verbs of their passes). With
/// `emit_layer` only what is about the layer of this name. The text of `scheduled` is what `parse_schedules` reads,
/// that of `network` what stands where a model stands. Of a network there are the stages from `network` on.
/// Fails as `compile` does, GEN0030 for a stage that there is not, GEN0041 for a layer that the stage has not.
Result<std::string> emit(std::string_view model_path, const acg::Machine& machine, std::string_view stage,
                         const CompileOptions& options = {}, const std::string& emit_layer = "");

/// The same from a normalised graph on: `normalized` or a later stage.
Result<std::string> emit_graph(const srdfg::Graph& graph, const acg::Machine& machine, const std::string& model,
                               std::string_view stage, const CompileOptions& options = {},
                               const std::string& emit_layer = "");

}  // namespace covenant::compiler
