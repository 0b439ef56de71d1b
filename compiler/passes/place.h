/// Second pass: inputs and outputs lie in the machine's outermost memory (section 3.1 of the paper); of several
/// off-chip memories, constants may lie in another (compiler/network/place_constants.h).
#pragma once

#include "acg/base/result.h"
#include "acg/graph/graph.h"
#include "compiler/codelet/codelet.h"

namespace covenant::compiler {

/// Pre: bound. Post: every `inp` and `out` has a location; those that had one keep it.
/// Shown by tests/pass/passes.
Result<codelet::Codelet> place(const codelet::Codelet& codelet, const acg::Machine& machine);

}  // namespace covenant::compiler
