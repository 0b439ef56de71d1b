/// Makes weights unsigned where a core multiplies unsigned weights faster.
#pragma once

#include "acg/graph/graph.h"
#include "compiler/network/network.h"

namespace covenant::compiler::vliw {

/// Replaces products with signed weights by products with unsigned ones, each 128 larger, and subtracts 128 times the
/// sum of the inputs: x * w = x * (w + 128) - 128 * x. An additional layer before each computes that number for every
/// row or window. Applies to layers whose outputs fill several vectors of sums: with one vector, the additional layer
/// would cost as much as it saves. Nothing changes on a machine that cannot multiply a vector of unsigned weights by
/// the same four inputs in all lanes.
Network with_unsigned_weights(Network network, const acg::Machine& machine);

}  // namespace covenant::compiler::vliw
