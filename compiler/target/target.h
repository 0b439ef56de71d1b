/// What the shared pipeline asks of a family of machines. Up to and including fusion nothing knows which family it
/// compiles for, but for what schedules cost there; a family is a folder beside this file and an entry of families.h.
#pragma once

#include <string>
#include <vector>

#include "acg/base/result.h"
#include "acg/isa/program.h"
#include "compiler/codelet/codelet.h"
#include "compiler/network/layers.h"
#include "compiler/network/stage_text.h"
#include "compiler/schedule/cost_model.h"
#include "compiler/schedule/tilings.h"

namespace covenant::compiler {

class Target {
 public:
  virtual ~Target() = default;

  /// May the family's compiler and models take the machine at its word? Errors: ACG0051 (it says more than they
  /// honour), GEN0060 (an optimisation is to be left out that is none of the family).
  virtual Status check_supported() const = 0;

  /// Writes the layers of a network as the machine does them best; nothing by default.
  virtual void prepare(Network& /*network*/) const {}

  /// Limits of loops and tiles, and what schedules cost. Its machine is the one that all passes compile for: that of
  /// the target, or what optimisations that are left out leave of it.
  virtual const CostModel& costs() const = 0;

  /// How schedules are searched.
  virtual TilingLimits search_limits() const { return {.remainders = true}; }

  /// The program of a network whose layer i is done as `tiled[i]` says. Reports its own stages.
  /// Errors: ACG0051, and the codes of code generation (docs/reference/diagnostics/GEN.md), each about its layer.
  virtual Result<acg::Program> emit(const Network& network, const std::vector<codelet::Codelet>& tiled,
                                    const std::string& model, const StageReport& report) const = 0;
};

}  // namespace covenant::compiler
