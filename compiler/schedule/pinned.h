/// Converts schedules that the user has chosen from their text to the numbers of a tiling problem, and back.
#pragma once

#include "acg/base/result.h"
#include "compiler/schedule/schedule.h"
#include "compiler/schedule/search.h"

namespace covenant::compiler {

/// `schedule` in the numbers of `problem`. Loops of one name are taken in their order. Any size that covers its loop is
/// allowed: a factor of the trips, or, if the last tile may overhang, any size up to them. Errors, at the place in the
/// schedule's file: SCH0003 (a loop is given twice), SCH0012 (there is no such loop), SCH0013 (a size that does not
/// cover its loop), SCH0014 (the loop has another number of trips), SCH0015 (the order is no permutation of the loops
/// around all computes).
Result<Pinned> pinned_by(const LayerSchedule& schedule, const TileProblem& problem);

/// Number of the loop of `problem` that the schedule splits. Precondition: it has a split. Errors: SCH0012 (there is no
/// such loop around all computes), SCH0018 (the second part would begin outside of the loop).
Result<size_t> split_loop(const LayerSchedule& schedule, const TileProblem& problem);

/// Index among `others`, problems on other nodes, of the one that the second part uses; their count stands for
/// `problem` itself. Precondition: the schedule has a split. Error: SCH0020 (its computes cannot be executed on these
/// nodes).
Result<size_t> split_nodes(const LayerSchedule& schedule, const TileProblem& problem,
                           const std::vector<TileProblem>& others);

/// The nodes of all computes, in their order.
std::vector<std::string> nodes_of(const TileProblem& problem);

/// The second part of a schedule with a split, as a schedule of its own.
LayerSchedule second_part(const LayerSchedule& schedule);

/// The inverse: the best schedule of a search, with its prediction as a note. Leaves out loops of one trip and those
/// that cannot be split.
LayerSchedule schedule_of(const ScheduleSearch& search);

}  // namespace covenant::compiler
