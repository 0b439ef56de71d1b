/// The stream family's implementation of the cost model that the schedule search uses.
#pragma once

#include <memory>
#include <vector>

#include "compiler/families/stream/cost.h"
#include "compiler/schedule/cost_model.h"

namespace covenant::compiler::stream {

/// The cost model of the stream family.
class StreamCostModel final : public CostModel {
 public:
  explicit StreamCostModel(const acg::Machine& machine);
  StreamCostModel(const acg::Machine& machine, const ExpressionLimits& limits);
  std::unique_ptr<ProblemCosts> costs_of(const TileProblem& problem) const override;
  bool holds_two_parts() const override;
  Prediction simulate_parts(const TiledProblem& first, const TiledProblem& second,
                            const std::vector<bool>& kept) const override;
  /// Checks that there are enough channels, tables and loop levels for all computes.
  Status check_emittable(const codelet::Codelet& tiled) const override;

 private:
  MachineCosts machine_costs_;
  ExpressionLimits limits_;
};

}  // namespace covenant::compiler::stream
