/// The interface between the schedule search and a family of machines: which tilings the machine can execute, and their
/// costs.
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

/// Costs of one problem. Not thread-safe: it caches what many tilings have in common.
class ProblemCosts {
 public:
  ProblemCosts() = default;
  virtual ~ProblemCosts() = default;
  ProblemCosts(const ProblemCosts&) = delete;
  ProblemCosts& operator=(const ProblemCosts&) = delete;

  /// True if the machine's loops and transfers can express the tiling, which must fit the memories.
  virtual bool is_feasible(const Tiling& tiling) = 0;
  /// Why they cannot express it; empty if they can.
  virtual std::string infeasible_because(const Tiling& tiling) const = 0;

  /// Selects a feasible tiling, which must stay alive, for the functions below.
  virtual void select(const Tiling& tiling) = 0;
  /// Estimated cycles, summed up, with the shared loops in `order` (their indices, outermost first). Cheap, and never
  /// far below the result of `simulate`.
  virtual uint64_t sum(const std::vector<size_t>& order) const = 0;
  /// A lower bound on the sum for all orders.
  virtual uint64_t least_sum() const = 0;
  /// Simulates all tiles; if there are more than `most_commands`, only sums them up.
  virtual Prediction simulate(const std::vector<size_t>& order, uint64_t most_commands) const = 0;
};

/// A problem with a tiling and an order of its loops.
struct TiledProblem {
  const TileProblem& problem;
  const Tiling& tiling;
  const std::vector<size_t>& order;  ///< order of the shared loops
};

/// The cost model of one family, on one machine. Thread-safe.
class CostModel {
 public:
  /// `machine` must outlive the model.
  explicit CostModel(const acg::Machine& machine) : machine_(machine) {}
  virtual ~CostModel() = default;
  CostModel(const CostModel&) = delete;
  CostModel& operator=(const CostModel&) = delete;

  const acg::Machine& machine() const { return machine_; }

  /// `problem` must outlive the result.
  virtual std::unique_ptr<ProblemCosts> costs_of(const TileProblem& problem) const = 0;

  /// True if the machine can hold a layer in two parts (compiler/schedule/splits.h).
  virtual bool holds_two_parts() const = 0;
  /// Simulates both parts, `second` after `first`, regardless of the number of commands. `kept`: buffers that the first
  /// part loads for both.
  virtual Prediction simulate_parts(const TiledProblem& first, const TiledProblem& second,
                                    const std::vector<bool>& kept) const = 0;

  /// Checks that a tiled codelet can be turned into words; covers limits that depend on several computes together.
  /// Errors: those of the family's code generation that are about one codelet.
  virtual Status check_emittable(const codelet::Codelet& tiled) const = 0;

 private:
  const acg::Machine& machine_;
};

}  // namespace covenant::compiler
