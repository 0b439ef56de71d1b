/// What the shared search asks, answered for cores that issue packets.
#pragma once

#include <memory>
#include <vector>

#include "compiler/schedule/cost_model.h"

namespace covenant::compiler::vliw {

/// A tile lies in registers: its computes and moves are straight code, the loops between tiles are those that run. A
/// tiling costs the slots of its instructions, each of a tile as often as the tile is there.
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
