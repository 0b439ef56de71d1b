/// Pass `route`, between place and map: moves results that cannot leave the memories of their node by way of another
/// node.
#pragma once

#include "acg/base/result.h"
#include "acg/graph/graph.h"
#include "compiler/codelet/codelet.h"

namespace covenant::compiler {

/// Pre: placed. If the node that `map` will choose writes only memories without a path to the outermost one (an array
/// whose sums only the SIMD lanes can read), the compute writes a new local, and a MOVE after its reduction copies that
/// to the output. Post: the codelet computes the same; one that needs no such move is unchanged. If no node can move
/// the result either, it stays: `tile` reports what is missing (CDL0052). Shown by tests/pass/passes.
Result<codelet::Codelet> route(const codelet::Codelet& codelet, const acg::Machine& machine);

}  // namespace covenant::compiler
