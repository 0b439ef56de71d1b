/// Between binding and placing: what the machine rounds in its own way.
#pragma once

#include "acg/graph/graph.h"
#include "compiler/codelet/codelet.h"

namespace covenant::compiler {

/// Pre: bound. Post: where no node of the machine has REQUANT, and one has REQUANT_FIXED, every REQUANT is one of
/// these: the same operands, scaled by fractions of 31 bits and shifts (docs/reference/numerics.md). The machine
/// declares its numerics by what it offers. Shown by tests/pass/passes.
codelet::Codelet scale(const codelet::Codelet& codelet, const acg::Machine& machine);

}  // namespace covenant::compiler
