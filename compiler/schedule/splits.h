/// Loop splits: one shared loop of a layer is split, and each range is tiled as if it were a layer of its own. What is
/// left over by tiles that do not divide the loop becomes a smaller tile instead of one that overhangs (a remainder
/// loop).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "acg/graph/graph.h"
#include "compiler/schedule/problem.h"
#include "compiler/schedule/schedule.h"
#include "compiler/schedule/search.h"

namespace covenant::compiler {

/// Iterations [first, end) of shared loop `loop`, as a problem of its own. Its last tile overhangs only where that of
/// the whole loop would.
TileProblem part_of(const TileProblem& problem, size_t loop, int64_t first, int64_t end);

/// A node that takes `iterations` of a loop at once.
struct NodeShare {
  std::string node;
  int64_t iterations = 1;
};

/// Nodes that work on one loop side by side: each of its innermost steps is as long as all their shares together.
struct SharedStep {
  size_t loop = 0;
  std::vector<NodeShare> shares;
};

/// A problem and the tiling of it, its shared loops in the order in which they are written.
struct Part {
  TileProblem problem;
  Tiling tiling;                         ///< of the memories next to off-chip memory
  std::vector<Tiling> inner{};           ///< of memories further in, level by level: each divides the one before it
  std::optional<SharedStep> together{};  ///< none: each compute is on the node of its nest
};
/// The parts of a schedule, in their order: one or two.
std::vector<Part> parts_of(const TileProblem& problem, const Schedule& schedule);

/// Buffers that the first part loads for both, since no loop moves them. Precondition: the schedule has a split.
std::vector<bool> kept_buffers(const TileProblem& problem, const Schedule& schedule);

/// Puts in front of `search.simulated` the schedules with a split that beat all of them by at least a hundredth,
/// simulated through, best first. Second parts are on the same nodes, unless the best is within a hundredth of what the
/// layer's work alone takes there, and on those of `others`, problems of the same codelet on other nodes: then the loop
/// is split where both finish together. Looks at no more than `limits.max_split_candidates` tilings of parts for each
/// choice of nodes.
void add_split_schedules(const CostModel& model, const TilingLimits& limits, const std::vector<TileProblem>& others,
                         ScheduleSearch& search);

/// The schedules with the split that `chosen` has; what it says of either part is kept. Errors: as `search_schedules`
/// for each part, those of `pinned.h`, SCH0016 for parts that fit alone and not together, SCH0021 for a loop that parts
/// on different nodes cannot share.
Result<ScheduleSearch> search_pinned_split(const TileProblem& problem, const CostModel& model,
                                           const TilingLimits& limits, const std::vector<TileProblem>& others,
                                           const LayerSchedule& chosen);

}  // namespace covenant::compiler
