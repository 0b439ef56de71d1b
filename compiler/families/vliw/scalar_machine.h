/// The machine as seen by code without vectors.
#pragma once

#include "acg/graph/graph.h"
#include "compiler/codelet/codelet.h"

namespace covenant::compiler::vliw {

/// True if the node works on registers of one word.
bool is_scalar(const acg::Compute& node, const acg::Machine& machine);

/// True if scalar nodes can execute all computes of a mapped codelet. False if it has none.
bool is_scalar(const codelet::Codelet& mapped, const acg::Machine& machine);

/// `machine` without the capabilities of nodes on wider registers. A scalar node that multiplies words and adds the
/// products can also sum up products of bytes, one at a time: its loads extend bytes, and a register may hold a single
/// byte.
acg::Machine with_scalars_alone(const acg::Machine& machine);

}  // namespace covenant::compiler::vliw
