/// Products of two activations by what a machine does that multiplies stored values.
#pragma once

#include <vector>

#include "compiler/srdfg/expansion.h"

namespace covenant::compiler::srdfg {

/// Each product next to a softmax along the last dimension, of its result or of its first operand, as the product of
/// the turned operands, turned: so the softmax has its lanes side by side, and no row of it is turned around.
Graph with_turned_products(Graph graph);

/// Of each node: whether it is such a product.
std::vector<bool> turned_products(const Graph& graph);

/// `node`, a matmul, as row_sums, column_sums and matmul_stored; what is multiplied by a zero point of 0 is left out,
/// an unsigned second operand is made signed first.
void expand_matmul(Expansion& expansion, Node node);

}  // namespace covenant::compiler::srdfg
