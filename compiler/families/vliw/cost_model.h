/// The VLIW family's implementation of the cost model that the schedule search uses.
#pragma once

#include <memory>
#include <vector>

#include "compiler/schedule/cost_model.h"

namespace covenant::compiler::vliw {

/// A tile is held in registers: its computes and transfers are straight code, and only the loops between tiles remain.
/// The cost of a tiling is the slots of its instructions, each counted as often as its tile is executed.
class VliwCostModel final : public CostModel {
 public:
  explicit VliwCostModel(const acg::Machine& machine) : CostModel(machine) {}
  std::unique_ptr<ProblemCosts> costs_of(const TileProblem& problem) const override;
  bool holds_two_parts() const override { return true; }
  Prediction simulate_parts(const TiledProblem& first, const TiledProblem& second,
                            const std::vector<bool>& kept) const override;
  Status check_emittable(const codelet::Codelet& tiled) const override;
};

}  // namespace covenant::compiler::vliw
