/// One loop on several nodes at the same time (section 4 of the paper, Parallelization; Figures 8c and 9b).
#pragma once

#include "acg/base/result.h"
#include "acg/graph/graph.h"
#include "compiler/codelet/codelet.h"

namespace covenant::compiler {

/// Pre: bound; at any stage up to tiling. A loop around one elementwise compute is shared by the nodes that can do it
/// and are fed by one memory: each step takes as many elements as all of them take at once, the largest first. Elements
/// that are left over are taken behind the loop by the nodes that fit them. Of all sets of nodes the one with the
/// fewest steps is chosen, then the smallest. A compute without a location counts as one that takes one element.
///
///     loop i(25) { c[i]=compute("PE","RELU",a[i]); }
/// becomes, with a SIMD unit of four elements beside PE,
///     loop i(25, stride=5) { c[i]=compute("SIMD","RELU",a[i]); c[i+4]=compute("PE","RELU",a[i+4]); }
///
/// Loops of any other form, and those that would not become shorter, stay as they are. Same meaning: no element is
/// padded. Shown by tests/golden/figures.
Result<codelet::Codelet> parallelise(const codelet::Codelet& codelet, const acg::Machine& machine);

}  // namespace covenant::compiler
