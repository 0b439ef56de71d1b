/// Explains why a layer is scheduled as it is: the alternatives, their predicted costs, and why the search stopped.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "acg/base/result.h"
#include "acg/graph/graph.h"
#include "compiler/choice/choose.h"
#include "compiler/choice/fusion.h"
#include "compiler/driver/families.h"
#include "compiler/driver/pipeline.h"
#include "compiler/srdfg/graph.h"

namespace covenant::compiler {

/// The alternatives of one layer, the chosen one first; the schedules of each best first.
struct LayerExplanation {
  std::string layer;
  std::vector<Alternative> alternatives;
  std::string schedule;                ///< the chosen schedule, in the text form of schedules; empty if there is none
  std::vector<FusionVerdict> fusions;  ///< verdicts on the pairs of layers whose fusion was considered
};

/// `layer` names a layer of the model, or layers that are fused with these options, joined by `+`. A layer with a
/// schedule has one alternative, with what is left open there. Precondition: operators::verify_normalized(graph), no
/// last stage. Errors: GEN0041 (no layer has this name), GEN0031 (the machine's family has no layers), and those of
/// `compile_graph` up to the schedules.
Result<LayerExplanation> explain_layer(const srdfg::Graph& graph, const acg::Machine& machine, std::string_view layer,
                                       const CompileOptions& options = {}, Families families = known_families());

/// The same for a layer of the ONNX model at `model_path`. Errors: also those of `compile`.
Result<LayerExplanation> explain_model(std::string_view model_path, const acg::Machine& machine, std::string_view layer,
                                       const CompileOptions& options = {}, Families families = known_families());

}  // namespace covenant::compiler
