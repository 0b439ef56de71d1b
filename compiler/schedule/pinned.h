/// Schedules that somebody has chosen: from their text to the numbers of a tiling problem, and back.
#pragma once

#include "acg/base/result.h"
#include "compiler/schedule/schedule.h"
#include "compiler/schedule/search.h"

namespace covenant::compiler {

/// What `schedule` says, in the numbers of `problem`. Loops of one name are taken in their order. Any size that covers
/// its loop goes: a factor of the trips, or where the last tile may overhang any size up to them.
/// Errors, at the place in the schedule's file: SCH0003 (a loop is said twice), SCH0012 (there is no such loop),
/// SCH0013 (a size that does not cover its loop), SCH0014 (the loop has another number of trips), SCH0015 (the order is
/// no permutation of the loops around all computes).
Result<Pinned> pinned_by(const LayerSchedule& schedule, const TileProblem& problem);

/// Which loop of `problem` the schedule splits, by its number. Precondition: it has a split. Errors: SCH0012 (there is
/// no such loop around all computes), SCH0018 (the second part would begin outside of the loop).
Result<size_t> split_loop(const LayerSchedule& schedule, const TileProblem& problem);

/// Which of `others`, problems on other nodes, the second part is; their number for `problem` itself. Precondition: the
/// schedule has a split. Error: SCH0020 (its computes cannot be done on these nodes).
Result<size_t> split_nodes(const LayerSchedule& schedule, const TileProblem& problem,
                           const std::vector<TileProblem>& others);

/// The nodes of all computes, in their order.
std::vector<std::string> nodes_of(const TileProblem& problem);

/// What a schedule with a split says of its second part, as a schedule.
LayerSchedule second_part(const LayerSchedule& schedule);

/// The other way: the best of a search, with what is predicted for it as a note. Loops of one trip, and those that
/// cannot be split, are left out.
LayerSchedule schedule_of(const ScheduleSearch& search);

}  // namespace covenant::compiler
