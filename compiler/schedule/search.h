/// Searches the valid tilings and the orders of their loops for the best schedule.
#pragma once

#include <optional>
#include <vector>

#include "acg/base/result.h"
#include "compiler/schedule/cost_model.h"
#include "compiler/schedule/prediction.h"
#include "compiler/schedule/problem.h"
#include "compiler/schedule/tilings.h"

namespace covenant::compiler {

/// The second part of a layer whose loop is split (`compiler/schedule/splits.h`).
struct LoopSplit {
  size_t loop = 0;            ///< shared loop that is split
  int64_t at = 0;             ///< iterations below belong to the first part, the others to the second
  TileProblem problem;        ///< problem of the second part, with its iterations alone
  Tiling tiling;              ///< tiling of the second part
  std::vector<size_t> order;  ///< order of the second part
};

/// A tiling, and an order of the loops that all nests share.
struct Schedule {
  Tiling tiling;
  std::vector<size_t> order;  ///< shared loops, outermost first
  Prediction prediction;
  std::optional<LoopSplit> split{};  ///< if present, tiling and order are those of the first part
};
inline bool is_faster(const Schedule& a, const Schedule& b) { return a.prediction.cycles < b.prediction.cycles; }

struct ScheduleSearch {
  TileProblem problem;              ///< the problem to which tilings and orders refer
  std::vector<Schedule> simulated;  ///< best first
  uint64_t valid = 0;               ///< number of valid tilings
  uint64_t candidates = 0;
  StopReason stop = StopReason::kComplete;
};

/// Sums up every valid tiling with every order of its split loops (`ProblemCosts::sum`) and simulates the
/// `max_simulated` best; the fewest predicted cycles win, ties go to the earlier one. What is `pinned` is kept. Errors:
/// CDL0051 (a memory is too small for the smallest tile: names memory, need and capacity), CDL0053 (no tiling is within
/// the limits); with pinned sizes SCH0016 and SCH0017 instead.
Result<ScheduleSearch> search_schedules(const TileProblem& problem, const CostModel& model, const TilingLimits& limits,
                                        const Pinned& pinned = {});

/// A tiling in its best order by `ProblemCosts::sum`.
struct SummedTiling {
  Tiling tiling;
  std::vector<size_t> order;
  uint64_t cycles = 0;
};

/// The best among the valid tilings of a problem.
struct BestTilings {
  TilingSearch search;
  std::vector<SummedTiling> best;  ///< best first
};

/// The `count` tilings that are best by `ProblemCosts::sum`; ties go to the earlier one.
BestTilings best_tilings(const TileProblem& problem, const acg::Machine& machine, ProblemCosts& costs,
                         const TilingLimits& limits, size_t count, const Pinned& pinned = {});

/// The problem with its shared loops in another order.
TileProblem reordered(const TileProblem& problem, const std::vector<size_t>& order);
Tiling reordered(const Tiling& tiling, const std::vector<size_t>& order);

}  // namespace covenant::compiler
