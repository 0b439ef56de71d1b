/// The parts of a product of two activations, which work on stored values: machines can multiply these.
#pragma once

#include "compiler/srdfg/graph.h"

namespace covenant::compiler::operators {

/// The body of `node`, a matmul of `graph`: row_sums, column_sums and matmul_stored. Parts that are multiplied by a
/// zero point of 0 are left out; an unsigned second operand is made signed first.
srdfg::Graph matmul_body(const srdfg::Graph& graph, const srdfg::Node& node);

}  // namespace covenant::compiler::operators
