/// Tile sizes: Algorithm 1 of the paper (ValidTiling), asked of a problem of loops and buffers.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "compiler/schedule/cost_model.h"

namespace covenant::compiler {

/// How long to search. What the machine can express is the cost model's to say.
struct TilingLimits {
  uint64_t max_candidates = 200000;       ///< tilings that are looked at
  bool smallest = false;                  ///< of sizes that are open, the smallest alone; no loop is split
  bool remainders = false;                ///< also tiles that do not divide their loop: the last one overhangs
  uint64_t max_simulated = 48;            ///< tilings, each with its best order, that are simulated
  uint64_t max_commands = 100000;         ///< of a tiling that is simulated
  uint64_t max_split_candidates = 20000;  ///< tilings of parts that are looked at
};

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
  uint64_t valid = 0;
  uint64_t candidates = 0;
  StopReason stop = StopReason::kComplete;
  std::optional<Shortage> shortage;  ///< set only if nothing is valid for this reason
  std::string infeasible_because;    ///< why the last tiling that fits cannot be expressed; empty: all can
};

/// Visits all tilings whose tiles fit one buffer of every memory (several locals may share one) and that `costs` says
/// the machine can express, larger tiles first. Sizes are the factors of a loop's trips; with `remainders` also sizes
/// of which a whole number covers the loop with at most an eighth to spare, where what overhangs is read as fill and
/// dropped when written. Sizes that are `pinned` have no alternatives. Deterministic.
TilingSearch for_each_tiling(const TileProblem& problem, const acg::Machine& machine, ProblemCosts& costs,
                             const TilingLimits& limits, const Pinned& pinned,
                             const std::function<void(const Tiling&)>& visit);

}  // namespace covenant::compiler
