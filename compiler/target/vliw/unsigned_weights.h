/// Weights as unsigned bytes, where a core multiplies those faster.
#pragma once

#include "acg/graph/graph.h"
#include "compiler/network/network.h"

namespace covenant::compiler::vliw {

/// Products with signed weights become products with unsigned ones, each 128 more than it was, of which 128 times the
/// sum of the inputs is taken off again: x * w = x * (w + 128) - 128 * x. A layer in front of each makes that number
/// for every row or window. Of those layers whose outputs fill several vectors of sums: of one vector the layer in
/// front would cost as much as it saves. Nothing changes on a machine that cannot multiply a vector of unsigned weights
/// by the same four inputs in all lanes.
void use_unsigned_weights(Network& network, const acg::Machine& machine);

}  // namespace covenant::compiler::vliw
