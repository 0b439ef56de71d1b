/// Second pass, `place`: assigns inputs and outputs to the machine's outermost memory (section 3.1 of the Covenant
/// paper). With several off-chip memories, constants may be moved to another (compiler/binding/place_constants.h).
#pragma once

#include "acg/base/result.h"
#include "acg/graph/graph.h"
#include "compiler/codelet/codelet.h"

namespace covenant::compiler {

/// Pre: bound. Post: every `inp` and `out` has a location; existing ones are kept. Shown by tests/pass/passes.
Result<codelet::Codelet> place(const codelet::Codelet& codelet, const acg::Machine& machine);

}  // namespace covenant::compiler
