/// What is left of a machine for code without vectors.
#pragma once

#include "acg/graph/graph.h"
#include "compiler/codelet/codelet.h"

namespace covenant::compiler::vliw {

/// Does the node work on registers of one word?
bool is_scalar(const acg::Compute& node, const acg::Machine& machine);

/// Do scalar nodes do all computes of a mapped codelet? False if it has none.
bool is_scalar(const codelet::Codelet& mapped, const acg::Machine& machine);

/// `machine`, of which nodes on wider registers can do nothing. A scalar node that multiplies words and adds the
/// products sums up products of bytes too, one at a time: its loads extend them,
/// and a register may hold a single byte.
acg::Machine with_scalars_alone(const acg::Machine& machine);

}  // namespace covenant::compiler::vliw
