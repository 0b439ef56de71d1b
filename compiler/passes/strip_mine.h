/// Fifth pass, `strip_mine`: splits loops into tile loops and loops within tiles, as the layer's schedule requires.
#pragma once

#include <vector>

#include "acg/graph/graph.h"
#include "compiler/codelet/codelet.h"
#include "compiler/schedule/splits.h"

namespace covenant::compiler {

/// Pre: mapped and packed; `parts` are those of a schedule of the codelet (`parts_of`), or pinned.
/// Post: for each part, its tile loops around all computes in their order, and within them one nest for each compute:
/// its own tile loops, then the loops within tiles. A loop of T trips in tiles of S becomes a tile loop `loop v(T,
/// stride=S, level=1)` and `loop v1(S)`, with the index `v + v1`; loops of further levels are between the two. Loops of
/// one iteration are removed, except those that nodes share. A last tile may reach past the end of its loop: reads
/// there give fill, writes are dropped. Declared locals get their memory, and a name of their own in each part. If a
/// part requires it, several nodes share each iteration of a loop: their computes are side by side in one nest. Same
/// tensors, same meaning.
///
///     loop n(12) { c[n]=compute("P","ADD",a[n],b[n]); }
/// in tiles of six becomes
///     loop n(12, stride=6, level=1) { loop n1(6) { c[n+n1]=compute("P","ADD",a[n+n1],b[n+n1]); } }
///
/// Shown by tests/pass/passes.
codelet::Codelet strip_mine(const codelet::Codelet& codelet, const acg::Machine& machine,
                            const std::vector<Part>& parts);

}  // namespace covenant::compiler
