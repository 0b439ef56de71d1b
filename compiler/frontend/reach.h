/// Distances of stored elements from their zero points, which decide whether products of two of them fit 32 bits.
#pragma once

#include "acg/base/result.h"
#include "compiler/srdfg/graph.h"

namespace covenant::compiler::frontend {

/// ONX0012 for a `mul` of `graph`, not yet in it, whose operands may reach products that 32 bits do not hold: they
/// would wrap. Elements of 8 bits never do. `core`: the model's operator.
Status check_reach(const srdfg::Graph& graph, const srdfg::Node& core, const srdfg::Node& node);

}  // namespace covenant::compiler::frontend
