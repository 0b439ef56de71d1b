/// Between placing and mapping: results that cannot leave the memories of their node go through one that can move them.
#pragma once

#include "acg/base/result.h"
#include "acg/graph/graph.h"
#include "compiler/codelet/codelet.h"

namespace covenant::compiler {

/// Pre: placed. Where the node that `map` will choose writes only memories without a way to the outermost one (an array
/// whose sums only the SIMD lanes can read), the compute writes a new local and a MOVE after its reduction carries
/// that to the output. Post: the codelet computes the same; one that needs no such move is unchanged. Where no node can
/// move the result either, it stays: `tile` says what is missing (CDL0052). Shown by tests/pass/passes.
Result<codelet::Codelet> route(const codelet::Codelet& codelet, const acg::Machine& machine);

}  // namespace covenant::compiler
