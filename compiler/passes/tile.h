/// Fifth pass: loops are split into tile loops and inner loops, tiles move between memories by transfers.
#pragma once

#include "acg/base/result.h"
#include "acg/graph/graph.h"
#include "compiler/codelet/codelet.h"
#include "compiler/schedule/search.h"
#include "compiler/schedule/schedule.h"

namespace covenant::compiler {

/// Pre: mapped and packed; loops around nests of one compute each. Post: the scheduled form of
/// docs/reference/codelets.md (but for slots and offsets): declared locals are gone, every compute works on locals next
/// to its node, transfers stand at the outermost level at which their operand is fixed, loops with one trip are gone.
/// Errors: CDL0050, CDL0052 (`problem.h`), CDL0051, CDL0053 (`tiling.h`).
/// Shown by tests/pass/passes.
Result<codelet::Codelet> tile(const codelet::Codelet& codelet, const acg::Machine& machine,
                              const TilingLimits& limits = {.remainders = true});

/// The search behind `tile`: what it considered, best first. What `chosen` says is kept; the rest is searched.
/// Errors as `tile`, and those of `force.h`; SCH0016 (tiles of `chosen` do not fit a memory) and SCH0017 (they cannot
/// be expressed), where without `chosen` there would be some that do.
Result<ScheduleSearch> schedules(const codelet::Codelet& codelet, const acg::Machine& machine,
                                 const TilingLimits& limits = {.remainders = true},
                                 const LayerSchedule* chosen = nullptr);

/// `codelet` written down as the best of its search says.
codelet::Codelet tile_as(const codelet::Codelet& codelet, const acg::Machine& machine, const ScheduleSearch& search);

}  // namespace covenant::compiler
