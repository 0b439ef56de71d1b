/// Fifth pass: loops are split into tile loops and inner loops, tiles move between memories by transfers.
#pragma once

#include "acg/graph/graph.h"
#include "compiler/codelet/codelet.h"
#include "compiler/schedule/search.h"

namespace covenant::compiler {

/// `codelet`, which is mapped and packed, written down as the best of its search says. Post: the scheduled form of
/// docs/reference/codelets.md (but for slots and offsets): declared locals are gone, every compute works on locals next
/// to its node, transfers stand at the outermost level at which their operand is fixed, loops with one trip are gone.
/// Shown by tests/pass/passes.
codelet::Codelet tile_as(const codelet::Codelet& codelet, const acg::Machine& machine, const ScheduleSearch& search);

}  // namespace covenant::compiler
