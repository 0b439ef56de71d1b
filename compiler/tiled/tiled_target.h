/// The interface between families of machines that run tiled codelets and the passes that they share.
#pragma once

#include <string>
#include <vector>

#include "compiler/codelet/codelet.h"
#include "compiler/families/target.h"
#include "compiler/network/network.h"
#include "compiler/network/stage_text.h"
#include "compiler/schedule/cost_model.h"
#include "compiler/schedule/tilings.h"

namespace covenant::compiler {

/// Up to and including tiling, the passes know nothing of the family except its costs of schedules.
class TiledTarget : public Target {
 public:
  /// Runs the passes of compiler/tiled/pipeline.h.
  Staged<acg::Program> compile(const srdfg::Graph& graph, const std::string& model,
                               const CompileOptions& options) const final;
  const TiledTarget* tiled() const final { return this; }

  /// The network with its layers in the form that suits the machine best; by default as it is.
  virtual Network prepared(Network network) const { return network; }

  /// Limits of loops and tiles, and costs of schedules. Its machine is the one that all passes compile for: that of the
  /// target, without what disabled optimisations would use.
  virtual const CostModel& costs() const = 0;

  /// Limits of the schedule search.
  virtual TilingLimits search_limits() const { return {.remainders = true}; }

  /// Generates the program of a network; `tiled[i]` is the codelet of layer i. Reports its own stages. Errors: ACG0051,
  /// and those of code generation (docs/reference/diagnostics/GEN.md), each about its layer.
  virtual Staged<acg::Program> emit(const Network& network, const std::vector<codelet::Codelet>& tiled,
                                    const std::string& model, const StageReport& report) const = 0;
};

}  // namespace covenant::compiler
