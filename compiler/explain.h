/// Why a layer is scheduled as it is: what was considered, what the cost model says of it, and why the search stopped.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "acg/base/result.h"
#include "acg/graph/graph.h"
#include "compiler/network/choose.h"
#include "compiler/network/fusion.h"
#include "compiler/pipeline.h"
#include "compiler/srdfg/graph.h"

namespace covenant::compiler {

/// Ways to do one layer, the one that is taken first; the schedules of each best first.
struct LayerExplanation {
  std::string layer;
  std::vector<Alternative> alternatives;
  std::string schedule;                ///< the one that is taken, in the text form of schedules; empty if none can be
  std::vector<FusionVerdict> fusions;  ///< of the pairs that the layer was looked at in
};

/// `layer` names a layer of the model, or layers that are fused with these options, with `+` between them. One that has
/// a schedule is done in one way only, with what is left open there. Precondition: srdfg::verify_normalized(graph).
/// Errors: GEN0041 for a name that no layer has, and as `compile_graph` up to the schedules.
Result<LayerExplanation> explain_layer(const srdfg::Graph& graph, const acg::Machine& machine, std::string_view layer,
                                       const CompileOptions& options = {});

/// The same for a layer of the ONNX model at `model_path`. Errors: as `compile` too.
Result<LayerExplanation> explain_model(std::string_view model_path, const acg::Machine& machine, std::string_view layer,
                                       const CompileOptions& options = {});

}  // namespace covenant::compiler
