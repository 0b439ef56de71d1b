/// Templates: the finer operators that an operator is made of, as bodies of its nodes, and in their place.
#pragma once

#include <functional>

#include "compiler/srdfg/graph.h"

namespace covenant::compiler::operators {

/// The graph in which each node whose operator has a template, and which has no body yet, has one: softmax of
/// reduce_max, softmax_sum and softmax_quotient; matmul of row_sums, column_sums and matmul_stored; layer_norm of
/// lookup, row_sums, row_mean, row_squares, row_variance, row_deviation, normalize_rows and scale_columns; channel_norm
/// likewise, with channel_sums, normalize_channels and scale_channels.
/// Precondition and postcondition: verify_normalized.
srdfg::Graph with_bodies(srdfg::Graph graph);

/// The graph in which bodies stand in the place of components: nodes whose operation is in no table, so that they are
/// nothing but their bodies. Precondition and postcondition: verify_normalized.
srdfg::Graph inlined_components(srdfg::Graph graph);

/// The graph in which products are turned (turned_products.h), and in which bodies, those of templates too, stand in
/// the place of all nodes for which `is_whole` is false. Precondition and postcondition: verify_normalized.
srdfg::Graph expand_templates(srdfg::Graph graph, const std::function<bool(const srdfg::Node&)>& is_whole);

/// The same with no node left whole.
srdfg::Graph expand_templates(srdfg::Graph graph);

}  // namespace covenant::compiler::operators
