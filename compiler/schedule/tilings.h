/// Enumerates valid tile sizes: Algorithm 1 of the Covenant paper (ValidTiling), for a problem of loops and buffers.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "compiler/schedule/cost_model.h"

namespace covenant::compiler {

/// Limits of the search. What the machine can express is decided by the cost model.
struct TilingLimits {
  uint64_t max_candidates = 200000;       ///< tilings that are considered
  bool smallest = false;                  ///< only the smallest of all open sizes; no loop is split
  bool remainders = false;                ///< include tiles that do not divide their loop: the last one overhangs
  uint64_t max_simulated = 48;            ///< tilings that are simulated, each with its best order
  uint64_t max_commands = 100000;         ///< most commands of a tiling that is simulated
  uint64_t max_split_candidates = 20000;  ///< tilings of parts that are considered
};

/// The part of a schedule that the user has chosen: nothing, some of it, or all.
struct Pinned {
  Tiling tiling;              ///< by loop, 0 if the size is open; empty: all are open
  std::vector<size_t> order;  ///< as in Schedule; empty: open
};

enum class StopReason : uint8_t { kComplete, kCandidateLimit };

/// A memory that cannot hold even the smallest tiles.
struct Shortage {
  acg::MemoryId memory;
  uint64_t need_bytes = 0;
  uint64_t capacity_bytes = 0;  ///< capacity of one buffer
};

struct TilingSearch {
  uint64_t valid = 0;
  uint64_t candidates = 0;
  StopReason stop = StopReason::kComplete;
  std::optional<Shortage> shortage;  ///< set only if this is why nothing is valid
  std::string infeasible_because;    ///< why the last tiling that fits cannot be expressed; empty: all can
};

/// Visits all tilings whose tiles fit one buffer of every memory (several locals may share one) and that the machine
/// can express according to `costs`, larger tiles first. Sizes are factors of a loop's trips; with `remainders` also
/// sizes of which a whole number covers the loop and overhangs by at most an eighth; overhanging elements are read as
/// fill and dropped when written. Sizes that are `pinned` have no alternatives. Deterministic.
TilingSearch for_each_tiling(const TileProblem& problem, const acg::Machine& machine, ProblemCosts& costs,
                             const TilingLimits& limits, const Pinned& pinned,
                             const std::function<void(const Tiling&)>& visit);

}  // namespace covenant::compiler
