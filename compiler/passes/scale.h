/// Pass `scale`, between bind and place: replaces requantisations by the fixed-point ones of the machine.
#pragma once

#include <map>
#include <string>

#include "acg/graph/graph.h"
#include "compiler/codelet/codelet.h"

namespace covenant::compiler {

/// The greatest magnitude in each f32 constant, by surrogate.
using GreatestScales = std::map<std::string, float>;

/// Pre: bound. Post: on a machine in fixed point (docs/reference/numerics.md), every REQUANT whose scales are constants
/// is a REQUANT_FIXED with the shift that suits the greatest of them, every REQUANT_ADD a REQUANT_ADD_FIXED, and every
/// REQUANT_MUL whose offset is a whole number a REQUANT_MUL_FIXED with that as its zero point. The machine declares its
/// numerics by its capabilities. If it rounds halves away from zero, these have `half_away=1`, and the offset of a sum
/// does not contain the zero point. Shown by tests/pass/passes.
codelet::Codelet scale(const codelet::Codelet& codelet, const GreatestScales& greatest, const acg::Machine& machine);

}  // namespace covenant::compiler
