/// More data with every transfer, until the edges are used (section 4 of the paper, Loop Unrolling; Figure 8c).
#pragma once

#include "acg/base/result.h"
#include "acg/graph/graph.h"
#include "compiler/codelet/codelet.h"

namespace covenant::compiler {

/// Pre: `insert_transfers` and `stride_loops` have run. A loop around loads, one compute and stores moves as many of
/// its steps at once as one operation of each edge carries and one buffer of each memory holds: the most dividing its
/// trips. The compute gets a loop of its own over them.
///
///     loop n(12, stride=2) { a1=transfer(a[n],"M",[2]); c1[0]=compute("P","MOVE",a1); transfer(c1,c[n],[2]); }
/// becomes, if six elements go along the edge at once,
///     loop n(12, stride=6) { a1=transfer(a[n],"M",[6]); loop n1(6, stride=2) { c1[n1]=compute("P","MOVE",a1[n1]); }
///                            transfer(c1,c[n],[6]); }
///
/// Loops of any other form, and those whose result depends on an earlier step, stay as they are. Same meaning.
/// Shown by tests/golden/figures.
Result<codelet::Codelet> unroll(const codelet::Codelet& codelet, const acg::Machine& machine);

}  // namespace covenant::compiler
