/// Reference operators of softmax and its parts.
#pragma once

#include "compiler/reference/tensor.h"
#include "compiler/srdfg/graph.h"

namespace covenant::compiler::reference {

/// Divides the exponentials of each row along `axis` by their sum. Same shape.
Tensor softmax(const srdfg::Graph& graph, const srdfg::Node& node, const Tensor& x);

/// The largest element along `axis`, whose size becomes 1.
Tensor reduce_max(const srdfg::Graph& graph, const srdfg::Node& node, const Tensor& x);

/// Sums of the exponentials of x - m along `axis`, f32.
Tensor softmax_sum(const srdfg::Graph& graph, const srdfg::Node& node, const Tensor& x, const Tensor& m);

/// Exponentials of x - m divided by their sums.
Tensor softmax_quotient(const srdfg::Graph& graph, const srdfg::Node& node, const Tensor& x, const Tensor& m,
                        const Tensor& s);

}  // namespace covenant::compiler::reference
