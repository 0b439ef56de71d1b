/// Expands products of two activations into operations on stored values, which machines can multiply.
#pragma once

#include <vector>

#include "compiler/operators/expansion.h"

namespace covenant::compiler::operators {

/// Replaces each product that is next to a softmax along the last dimension (of its result or its first operand) by the
/// transposed product of the transposed operands. The softmax then works on adjacent lanes, and its rows need no
/// transposition.
srdfg::Graph with_turned_products(srdfg::Graph graph);

/// For each node: true if it is such a product.
std::vector<bool> turned_products(const srdfg::Graph& graph);

/// Expands `node`, a matmul, into row_sums, column_sums and matmul_stored. Parts that are multiplied by a zero point of
/// 0 are left out; an unsigned second operand is made signed first.
void expand_matmul(Expansion& expansion, srdfg::Node node);

}  // namespace covenant::compiler::operators
