/// The parts of a softmax.
#pragma once

#include "compiler/srdfg/graph.h"

namespace covenant::compiler::operators {

/// The body of `node`, a softmax of `graph`: reduce_max, softmax_sum and softmax_quotient, and the table of
/// exponentials that the latter two look up.
srdfg::Graph softmax_body(const srdfg::Graph& graph, const srdfg::Node& node);

}  // namespace covenant::compiler::operators
