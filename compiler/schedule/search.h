/// The choice among the tilings that are valid, and among the orders of their loops.
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
  int64_t at = 0;             ///< its iterations below are the first part's, the others the second one's
  TileProblem problem;        ///< of the second part, with these iterations alone
  Tiling tiling;              ///< of the second part
  std::vector<size_t> order;  ///< of the second part
};

/// One tiling with an order of the loops that all nests share.
struct Schedule {
  Tiling tiling;
  std::vector<size_t> order;  ///< shared loops, outermost first
  Prediction prediction;
  std::optional<LoopSplit> split{};  ///< if there is one, tiling and order are those of the first part
};

struct ScheduleSearch {
  TileProblem problem;              ///< what the numbers of tilings and orders mean
  std::vector<Schedule> simulated;  ///< best first
  uint64_t valid = 0;               ///< tilings
  uint64_t candidates = 0;
  StopReason stop = StopReason::kComplete;
};

/// Every valid tiling with every order of its split loops is summed up (`ProblemCosts::sum`), the `max_simulated` best
/// are simulated; the fewest predicted cycles win, ties go to the earlier one. What is `pinned` stays as it is.
/// Errors: CDL0051 (a memory is too small for the smallest tile: names memory, need and capacity), CDL0053 (no tiling
/// is within the limits); if sizes are pinned SCH0016 and SCH0017 instead.
Result<ScheduleSearch> search_schedules(const TileProblem& problem, const CostModel& model, const TilingLimits& limits,
                                        const Pinned& pinned = {});

/// A tiling in its best order by `ProblemCosts::sum`.
struct SummedTiling {
  Tiling tiling;
  std::vector<size_t> order;
  uint64_t cycles = 0;
};

/// The valid tilings of a problem, of which only the best are kept.
struct BestTilings {
  TilingSearch search;
  std::vector<SummedTiling> best;  ///< best first
};

/// The `count` tilings that are best by `ProblemCosts::sum`, ties to the earlier one.
BestTilings best_tilings(const TileProblem& problem, const acg::Machine& machine, ProblemCosts& costs,
                         const TilingLimits& limits, size_t count, const Pinned& pinned = {});

/// The problem with its shared loops in another order.
TileProblem reordered(const TileProblem& problem, const std::vector<size_t>& order);
Tiling reordered(const Tiling& tiling, const std::vector<size_t>& order);

/// Tile loops around the transfer of a buffer: hoisted to the outermost level at which its operand is fixed. Loops with
/// one tile do not count; `nest` is the nest that reads or writes the buffer.
size_t tile_loops_around(const TileProblem& problem, const Tiling& tiling, const TileBuffer& buffer,
                         const TileNest& nest);

}  // namespace covenant::compiler
