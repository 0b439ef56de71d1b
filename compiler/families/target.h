/// The interface between the shared pipeline and a family of machines. Up to and including fusion, the pipeline knows
/// nothing of the family except its costs of schedules. A family is a folder beside this file and an entry of
/// families.h.
#pragma once

#include <string>
#include <vector>

#include "acg/base/result.h"
#include "acg/program/program.h"
#include "compiler/codelet/codelet.h"
#include "compiler/network/layers.h"
#include "compiler/network/stage_text.h"
#include "compiler/schedule/cost_model.h"
#include "compiler/schedule/tilings.h"

namespace covenant::compiler {

class Target {
 public:
  virtual ~Target() = default;

  /// Checks that the family's compiler and models support the machine. Errors: ACG0051 (it uses features that they do
  /// not support), GEN0060 (an optimisation is disabled that the family does not have).
  virtual Status check_supported() const = 0;

  /// Rewrites the layers of a network into the form that suits the machine best; does nothing by default.
  virtual void prepare(Network& /*network*/) const {}

  /// Limits of loops and tiles, and costs of schedules. Its machine is the one that all passes compile for: that of the
  /// target, without what disabled optimisations would use.
  virtual const CostModel& costs() const = 0;

  /// Limits of the schedule search.
  virtual TilingLimits search_limits() const { return {.remainders = true}; }

  /// Generates the program of a network; `tiled[i]` is the codelet of layer i. Reports its own stages. Errors: ACG0051,
  /// and those of code generation (docs/reference/diagnostics/GEN.md), each about its layer.
  virtual Result<acg::Program> emit(const Network& network, const std::vector<codelet::Codelet>& tiled,
                                    const std::string& model, const StageReport& report) const = 0;
};

}  // namespace covenant::compiler
