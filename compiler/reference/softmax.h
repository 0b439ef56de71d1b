/// softmax and its parts.
#pragma once

#include "compiler/reference/tensor.h"
#include "compiler/srdfg/graph.h"

namespace covenant::compiler::reference {

/// Along `axis`: of each row the share of each exponential in their sum. Same shape.
Tensor softmax(const srdfg::Graph& graph, const srdfg::Node& node, const Tensor& x);

/// The largest element along `axis`, of which one index is left.
Tensor reduce_max(const srdfg::Graph& graph, const srdfg::Node& node, const Tensor& x);

/// Sums of the exponentials of x - m along `axis`, f32.
Tensor softmax_sum(const srdfg::Graph& graph, const srdfg::Node& node, const Tensor& x, const Tensor& m);

/// Exponentials of x - m by their sums.
Tensor softmax_quotient(const srdfg::Graph& graph, const srdfg::Node& node, const Tensor& x, const Tensor& m,
                        const Tensor& s);

}  // namespace covenant::compiler::reference
