/// Compiles a model in parts, each for a machine of its own: docs/reference/parts.md.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "acg/base/result.h"
#include "acg/program/program_parts.h"
#include "compiler/driver/families.h"
#include "compiler/families/options.h"
#include "compiler/srdfg/graph.h"

namespace covenant::compiler {

/// All that comes after a tensor, or after the layer that makes it, is for this machine, up to the next cut.
struct Cut {
  std::string after;
  acg::Machine machine;
};

/// Compiles the parts of a normalised graph (compiler/driver/cut.h): what comes before the first cut for `machine`.
/// Parts are called 1, 2, ... Callbacks of the options are called for one part after the other. Errors: those of `cut`
/// and of `compile_graph` for a part. Preconditions: operators::verify_normalized(graph); options without schedules and
/// last stage.
Result<acg::ProgramParts> compile_parts(const srdfg::Graph& graph, const acg::Machine& machine,
                                        const std::vector<Cut>& cuts, const std::string& model,
                                        const CompileOptions& options = {}, Families families = known_families());

/// The same for the ONNX model at `model_path`. Errors: also those of `read_model` and `with_library`.
///
///     compile_parts("digits_qdq.onnx", *acg::load_machine("genesys"), {{"pool", *acg::load_machine("hvx")}});
Result<acg::ProgramParts> compile_parts(std::string_view model_path, const acg::Machine& machine,
                                        const std::vector<Cut>& cuts, const CompileOptions& options = {},
                                        Families families = known_families());

}  // namespace covenant::compiler
