/// The compiler from end to end: the front end, then the family of the machine (compiler/families/target.h).
#pragma once

#include <string>
#include <string_view>

#include "acg/base/result.h"
#include "acg/graph/graph.h"
#include "acg/program/program.h"
#include "compiler/driver/families.h"
#include "compiler/families/options.h"
#include "compiler/network/network.h"
#include "compiler/network/staged.h"
#include "compiler/srdfg/graph.h"

namespace covenant::compiler {

/// Compiles the ONNX model at `model_path`, or the network whose text is there (compiler/network/print.h), for
/// `machine`. Equal inputs give equal programs. The result is the program, or the text of `options.last_stage`. Errors:
/// those of the front end (ONX), the passes (CDL), code generation (GEN) and the encoder (ISA); with schedules also
/// SCH0003 and SCH0010 to SCH0019 (docs/reference/diagnostics/SCH.md); with a library also those of `load_codelets`
/// (CDL0071, CDL0072, and those of malformed codelets). GEN0031 (networks, schedules and libraries for a family that
/// has no layers). With state GEN0070 to GEN0073 (compiler/driver/state.h; a network has none).
///
///     Result<acg::Program> program = compile("digits_qdq.onnx", *acg::load_machine("genesys"));
Staged<acg::Program> compile(std::string_view model_path, const acg::Machine& machine,
                             const CompileOptions& options = {}, Families families = known_families());

/// The same from the normalised graph on. `model` names it in the program. Precondition:
/// operators::verify_normalized(graph).
Staged<acg::Program> compile_graph(const srdfg::Graph& graph, const acg::Machine& machine, const std::string& model,
                                   const CompileOptions& options = {}, Families families = known_families());

/// The same from the network on: its storages and lowerings are kept, nothing is chosen again. Precondition: the
/// network is complete (compiler/binding/verify_layers.h). With schedules also SCH0011 (the network lowers a layer
/// differently).
Staged<acg::Program> compile_network(const Network& network, const acg::Machine& machine,
                                     const CompileOptions& options = {}, Families families = known_families());

/// `options` with the codelets of their library, if they name one. Errors: those of `load_codelets`.
Result<CompileOptions> with_library(const CompileOptions& options);

/// The first part of `compile`, which reports `srdfg`: reads the ONNX model as a normalised graph, with the operators
/// of the front end and of `options.codelets`. Errors: those of the front end (ONXnnnn).
Staged<srdfg::Graph> read_model(std::string_view model_path, const CompileOptions& options);

/// The layers of a normalised graph as the machine's family prepares them, before lowerings are chosen. Errors: those
/// of `make_layers`.
Result<Network> layers_of_graph(const srdfg::Graph& graph, const acg::Machine& machine,
                                const CompileOptions& options = {}, Families families = known_families());

/// The same for the ONNX model at `model_path`; the layers of the network whose text is there, as they stand. Errors:
/// also those of `read_model`, or those of `read_network`.
Result<Network> read_layers(std::string_view model_path, const acg::Machine& machine, const CompileOptions& options,
                            Families families = known_families());

/// The model after a stage, as text (compiler/driver/stages.h; the verbs of passes also name their stages). With
/// `emit_layer`, only the part about the layer of this name. The text of `scheduled` can be read by `parse_schedules`,
/// and that of `network` can be compiled in place of a model. A network has only the stages from `network` on. Errors:
/// those of `compile`, GEN0030 (no such stage), GEN0041 (the stage has no such layer).
Result<std::string> emit(std::string_view model_path, const acg::Machine& machine, std::string_view stage,
                         const CompileOptions& options = {}, const std::string& emit_layer = "",
                         Families families = known_families());

/// The same from a normalised graph on: `normalized` or a later stage.
Result<std::string> emit_graph(const srdfg::Graph& graph, const acg::Machine& machine, const std::string& model,
                               std::string_view stage, const CompileOptions& options = {},
                               const std::string& emit_layer = "", Families families = known_families());

}  // namespace covenant::compiler
