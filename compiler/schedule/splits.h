/// Loop splits: one shared loop of a layer is split, and each range is tiled like a layer of its own. If tiles do not
/// divide the loop, the remainder becomes a smaller tile instead of one that overhangs (a remainder loop).
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

/// Iterations [first, end) of shared loop `loop`, as a problem of its own. Its last tile overhangs only if that of the
/// whole loop would.
TileProblem part_of(const TileProblem& problem, size_t loop, int64_t first, int64_t end);

/// A node and the number of iterations of a loop that it takes at once.
struct NodeShare {
  std::string node;
  int64_t iterations = 1;
};

/// Nodes that share one loop side by side: each innermost step is as long as all their shares together.
struct SharedStep {
  size_t loop = 0;
  std::vector<NodeShare> shares;
};

/// A problem with its tiling, and its shared loops in the order in which they are generated.
struct Part {
  TileProblem problem;
  Tiling tiling;                         ///< tiling for the memories next to off-chip memory
  std::vector<Tiling> inner{};           ///< tilings for memories further in, level by level: each divides the one
                                         ///< before it
  std::optional<SharedStep> together{};  ///< empty: each compute is on the node of its nest
};
/// The parts of a schedule in their order: one or two.
std::vector<Part> parts_of(const TileProblem& problem, const Schedule& schedule);

/// Buffers that the first part loads for both, since no loop moves them. Precondition: the schedule has a split.
std::vector<bool> kept_buffers(const TileProblem& problem, const Schedule& schedule);

/// Prepends to `search.simulated` the schedules with a split that are at least one percent better than all of them,
/// simulated, best first. Second parts run on the same nodes (unless the best schedule is within one percent of the
/// layer's pure work there), and on the nodes of `others`, problems of the same codelet on other nodes: the loop is
/// then split so that both finish together. Considers at most `limits.max_split_candidates` tilings of parts for each
/// choice of nodes.
void add_split_schedules(const CostModel& model, const TilingLimits& limits, const std::vector<TileProblem>& others,
                         ScheduleSearch& search);

/// The schedules with the split that `chosen` has; what it gives for either part is kept. Errors: those of
/// `search_schedules` for each part and of `pinned.h`, SCH0016 for parts that fit alone but not together, SCH0021 for a
/// loop that parts on different nodes cannot share.
Result<ScheduleSearch> search_pinned_split(const TileProblem& problem, const CostModel& model,
                                           const TilingLimits& limits, const std::vector<TileProblem>& others,
                                           const LayerSchedule& chosen);

}  // namespace covenant::compiler
