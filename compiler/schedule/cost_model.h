/// What the search of schedules asks of a family of machines: which tilings they can do, and what these cost.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "acg/base/result.h"
#include "acg/graph/graph.h"
#include "compiler/codelet/codelet.h"
#include "compiler/schedule/prediction.h"
#include "compiler/schedule/problem.h"

namespace covenant::compiler {

/// Trips of each loop of the problem within one tile.
using Tiling = std::vector<int64_t>;

/// Costs of one problem. Not for several threads at once: what many tilings have in common is remembered.
class ProblemCosts {
 public:
  ProblemCosts() = default;
  virtual ~ProblemCosts() = default;
  ProblemCosts(const ProblemCosts&) = delete;
  ProblemCosts& operator=(const ProblemCosts&) = delete;

  /// True if the machine's loops and transfers can express the tiling; it fits the memories.
  virtual bool is_feasible(const Tiling& tiling) = 0;
  /// Why they cannot; empty if they can.
  virtual std::string infeasible_because(const Tiling& tiling) const = 0;

  /// What follows is about this tiling, which is feasible and lives on.
  virtual void select(const Tiling& tiling) = 0;
  /// Cycles, summed up, with the shared loops in `order` (indices of them, outermost first): cheap, and never far below
  /// what `simulate` finds.
  virtual uint64_t sum(const std::vector<size_t>& order) const = 0;
  /// No order has a smaller sum.
  virtual uint64_t least_sum() const = 0;
  /// All tiles simulated; only summed up if there are more than `most_commands`.
  virtual Prediction simulate(const std::vector<size_t>& order, uint64_t most_commands) const = 0;
};

/// A problem, with how it is done.
struct TiledProblem {
  const TileProblem& problem;
  const Tiling& tiling;
  const std::vector<size_t>& order;  ///< of the shared loops
};

/// Of one family, on one machine. Several threads may use it at once.
class CostModel {
 public:
  /// `machine` outlives the model.
  explicit CostModel(const acg::Machine& machine) : machine_(machine) {}
  virtual ~CostModel() = default;
  CostModel(const CostModel&) = delete;
  CostModel& operator=(const CostModel&) = delete;

  const acg::Machine& machine() const { return machine_; }

  /// `problem` outlives what is returned.
  virtual std::unique_ptr<ProblemCosts> costs_of(const TileProblem& problem) const = 0;

  /// True if the machine can hold a layer in two parts (compiler/schedule/splits.h).
  virtual bool holds_two_parts() const = 0;
  /// Both parts simulated, `second` after `first`, whatever their commands. `kept`: buffers that the first part loads
  /// for both.
  virtual Prediction simulate_parts(const TiledProblem& first, const TiledProblem& second,
                                    const std::vector<bool>& kept) const = 0;

  /// Whether a tiled codelet becomes words: what the limits of loops and tiles cannot say of several computes together.
  /// Errors: those of the family's code generation that are about one codelet.
  virtual Status check_emittable(const codelet::Codelet& tiled) const = 0;

 private:
  const acg::Machine& machine_;
};

}  // namespace covenant::compiler
