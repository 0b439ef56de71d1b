/// Third pass, `map`: assigns a node to every compute, makes loops step by the node's vector size, and pads tensors to
/// it.
#pragma once

#include "acg/base/result.h"
#include "acg/graph/graph.h"
#include "compiler/codelet/codelet.h"

namespace covenant::compiler {

/// Pre: placed; loops run from 0 by 1. Post: every compute has a location, the capable node with the largest
/// granularity (among equals the one that could execute more of the codelet, then by declaration order). A loop over a
/// dimension that a vector or matrix spans runs over chunks: `loop oc(10)` with 8 lanes becomes `loop oc(2)`, index
/// `oc*8`. Computes of one loop that take different numbers at once use the least common multiple, each in pieces of
/// its own; if a loop is shorter than that, each runs as many pieces as it needs, and none that make only padding of
/// locals that stay in registers. The last dimension of tensors that are read or written as vectors is padded by
/// `codelet::padded_size` (if no node writes their dtype, to what is read at once); `logical_shape` keeps the old one.
/// Matrices keep their shape: elements outside read as 0. Errors: CDL0040 (no node can execute it), CDL0041 (a
/// dimension cannot be vectorised). Shown by tests/pass/passes.
Result<codelet::Codelet> map(const codelet::Codelet& codelet, const acg::Machine& machine);

}  // namespace covenant::compiler
