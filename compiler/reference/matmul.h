/// Reference operators of products of two activations, and of their parts (compiler/operators/operators.h).
#pragma once

#include <vector>

#include "compiler/reference/tensor.h"
#include "compiler/srdfg/graph.h"

namespace covenant::compiler::reference {

/// `a` [G,M,K] by `b` [G,K,N] -> [G,M,N].
Tensor matmul(const srdfg::Graph& graph, const srdfg::Node& node, const Tensor& a, const Tensor& b);

/// u8 -> i8, each stored value less 128.
Tensor to_signed(const srdfg::Graph& graph, const srdfg::Node& node, const Tensor& x);

/// `a` [G,M,K] -> i32 [G,M,1].
Tensor row_sums(const srdfg::Graph& graph, const srdfg::Node& node, const Tensor& a);

/// `b` [G,K,N] -> i32 [G,1,N].
Tensor column_sums(const srdfg::Graph& graph, const srdfg::Node& node, const Tensor& b);

/// Inputs: those of `node` that are not params, in order.
Tensor matmul_stored(const srdfg::Graph& graph, const srdfg::Node& node, const std::vector<const Tensor*>& inputs);

}  // namespace covenant::compiler::reference
