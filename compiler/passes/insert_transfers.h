/// Sixth pass, `insert_transfers`: moves operands and results between the memory of their tensor and the node that
/// works on them.
#pragma once

#include "acg/graph/graph.h"
#include "compiler/codelet/codelet.h"

namespace covenant::compiler {

/// Pre: strip-mined, or mapped (then one tile holds everything). Loops around a sum that do not index it are inside of
/// those of their level that do.
/// Post: every compute works on locals next to its node (or on a tensor that lies there). An operand crosses the
/// memories of its path (compiler/codelet/paths.h) one by one, each in a local that holds the tile of its level: all
/// that the loops within touch. Its transfer is inside of the tile loops up to that level, immediately before their
/// content. The result is allocated next to its node there and is transferred back in the same way, immediately after;
/// for a reduction, these are before and after the tile loops of the reduction. A declared local is allocated in the
/// block that holds all of its computes. Loops have no levels any more: a loop is a tile loop if it contains a
/// transfer. Same tensors, same meaning.
///
///     loop n(12, stride=6, level=1) { loop n1(6) { c[n+n1]=compute("P","MOVE",a[n+n1]); } }
/// becomes
///     loop n(12, stride=6) { a1=transfer(a[n],"M",[6]); c1=transfer(i16(0),"M",[6]);
///                            loop n1(6) { c1[n1]=compute("P","MOVE",a1[n1]); }
///                            transfer(c1,c[n],[6]); }
///
/// Shown by tests/pass/passes.
codelet::Codelet insert_transfers(const codelet::Codelet& codelet, const acg::Machine& machine);

}  // namespace covenant::compiler
