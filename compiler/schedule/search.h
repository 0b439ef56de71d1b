/// Tile sizes: Algorithm 1 of the paper (ValidTiling), and the choice among the valid ones.
#pragma once

#include <optional>
#include <vector>

#include "acg/base/result.h"
#include "acg/isa/operation.h"
#include "compiler/schedule/prediction.h"
#include "compiler/schedule/problem.h"

namespace covenant::compiler {

/// What the machine's loops and transfers can express, and how long to search.
struct TilingLimits {
  size_t max_tile_loops = acg::kTileLoops;
  size_t max_pass_loops = acg::kPassLoops;  ///< of a nest on a node that is no SIMD array
  size_t max_simd_loops = acg::kSimdLevels;
  size_t max_transfer_loops = acg::kTransferLoops;
  uint64_t max_segment_bytes = 65536;
  int64_t max_trips = 65536;              ///< of any loop
  uint64_t max_candidates = 200000;       ///< tilings that are looked at
  bool remainders = false;                ///< also tiles that do not divide their loop: the last one overhangs
  uint64_t max_simulated = 48;            ///< tilings, each with its best order, that are simulated through
  uint64_t max_commands = 100000;         ///< of a tiling that is simulated through
  uint64_t max_split_candidates = 20000;  ///< tilings of parts that are looked at
};

/// Trips of each loop of the problem within one tile.
using Tiling = std::vector<int64_t>;

/// What of a schedule is chosen already: nothing, some of it, or all.
struct Pinned {
  Tiling tiling;              ///< by loop, 0 where the size is open; empty: all are
  std::vector<size_t> order;  ///< as in Schedule; empty: open
};

enum class StopReason : uint8_t { kComplete, kCandidateLimit };

/// A memory that cannot hold even the smallest tiles.
struct Shortage {
  acg::MemoryId memory;
  uint64_t need_bytes = 0;
  uint64_t capacity_bytes = 0;  ///< of one buffer
};

struct TilingSearch {
  std::vector<Tiling> valid;  ///< larger tiles first
  StopReason stop = StopReason::kComplete;
  uint64_t candidates = 0;
  std::optional<Shortage> shortage;  ///< set only if nothing is valid for this reason
  std::string infeasible_because;    ///< why the last tiling that fits cannot be expressed; empty: all can
};

/// All tilings whose tiles fit one buffer of every memory (several locals may share one), are whole addressable
/// elements of the memories they leave, and can be expressed within `limits`. Sizes are the factors of a loop's trips;
/// with `remainders` also sizes of which a whole number covers the loop with at most an eighth to spare, where what
/// overhangs is read as fill and dropped when written. Sizes that are `pinned` have no alternatives. Deterministic.
TilingSearch valid_tilings(const TileProblem& problem, const acg::Machine& machine, const TilingLimits& limits,
                           const Pinned& pinned = {});

/// What crosses the edges of the outermost memory: each transfer as often as the loops around it turn.
struct OffchipCost {
  uint64_t beats = 0;  ///< of runs as if they were aligned
  uint64_t bytes = 0;
};
OffchipCost offchip_cost(const TileProblem& problem, const acg::Machine& machine, const Tiling& tiling,
                         const TilingLimits& limits);

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

/// Every valid tiling with every order of its split loops is summed up (`TileCosts::sum`), the `max_simulated` best are
/// simulated through; the fewest predicted cycles win, ties go to the earlier one. What is `pinned` stays as it is.
/// Errors: CDL0051 (a memory is too small for the smallest tile: names memory, need and capacity), CDL0053 (no tiling
/// is within the limits); if sizes are pinned SCH0016 and SCH0017 instead.
Result<ScheduleSearch> search_schedules(const TileProblem& problem, const acg::Machine& machine,
                                        const TilingLimits& limits, const Pinned& pinned = {});

/// The `count` tilings of `valid` that are best by `TileCosts::sum`, each in its best order, best first.
std::vector<Schedule> best_by_sum(const TileProblem& problem, const acg::Machine& machine, const TilingLimits& limits,
                                  const std::vector<Tiling>& valid, size_t count, const Pinned& pinned = {});

/// The problem with its shared loops in another order.
TileProblem reordered(const TileProblem& problem, const std::vector<size_t>& order);
Tiling reordered(const Tiling& tiling, const std::vector<size_t>& order);

/// Tile loops around the transfer of a buffer: hoisted to the outermost level at which its operand is fixed. Loops with
/// one tile do not count; `nest` is the nest that reads or writes the buffer.
size_t tile_loops_around(const TileProblem& problem, const Tiling& tiling, const TileBuffer& buffer,
                         const TileNest& nest, uint64_t* turns = nullptr);

}  // namespace covenant::compiler
