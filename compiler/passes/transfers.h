/// Transfers along the machine's shortest ways, before anything is tiled (section 3.2 and Figure 8b of the paper).
#pragma once

#include "acg/base/result.h"
#include "acg/graph/graph.h"
#include "compiler/codelet/codelet.h"

namespace covenant::compiler {

/// Pre: mapped. Post: every compute works on locals next to its node. Right before it, each operand is moved there, as
/// much as the compute takes at once, with one transfer for each edge of the shortest way from where its tensor lies;
/// right behind it the result goes back likewise. A result that is not accumulated is allocated once, in front of
/// everything; one that is, in front of its reduction loops, and is stored behind them. Declared locals without a
/// location are put into the outermost memory, or where all of their nodes work on them if one cannot reach it. Same
/// tensors, same meaning.
///
///     loop n(12, stride=2) { c[n]=compute("PE2","ADD",a[n],b[n]); }
/// becomes
///     c1=transfer(i16(0),"MEM2",[2]);
///     loop n(12, stride=2) {
///       a1=transfer(a[n],"MEM2",[2]); b1=transfer(b[n],"MEM2",[2]);
///       c1[0]=compute("PE2","ADD",a1,b1);
///       transfer(c1,c[n],[2]);
///     }
///
/// Errors: CDL0052 (no memory lies between a tensor and the node), CDL0054 (a reduction loop stands around a loop that
/// indexes the result, or around another use of it). Shown by tests/golden/figures.
Result<codelet::Codelet> insert_transfers(const codelet::Codelet& codelet, const acg::Machine& machine);

}  // namespace covenant::compiler
