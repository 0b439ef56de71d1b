/// Products of activations whose operands are exchanged, so that a softmax beside them works on adjacent lanes.
#pragma once

#include <vector>

#include "compiler/srdfg/graph.h"

namespace covenant::compiler::operators {

/// Replaces each product that is next to a softmax along the last dimension (of its result or its first operand) by the
/// transposed product of the transposed operands. The softmax then works on adjacent lanes, and its rows need no
/// transposition.
srdfg::Graph with_turned_products(srdfg::Graph graph);

/// For each node: true if it is such a product.
std::vector<bool> turned_products(const srdfg::Graph& graph);

}  // namespace covenant::compiler::operators
