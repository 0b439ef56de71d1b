/// Reference operators of conv and gemm: sums of products in wrapping 32-bit integers, as matrix products.
#pragma once

#include "compiler/reference/tensor.h"
#include "compiler/srdfg/graph.h"

namespace covenant::compiler::reference {

/// `x` [N,C,H,W] with the params of `node` -> [N,O,OH,OW].
Tensor conv(const srdfg::Graph& graph, const srdfg::Node& node, const Tensor& x);

/// `x` [N,K] with the params of `node` -> [N,O].
Tensor gemm(const srdfg::Graph& graph, const srdfg::Node& node, const Tensor& x);

/// `conv` without requantisation -> i32 [N,O,OH,OW].
Tensor conv_sums(const srdfg::Graph& graph, const srdfg::Node& node, const Tensor& x);

/// `x` [G*N,K], the rows of group g with the g-th weights -> i32 [G*N,O].
Tensor gemm_sums(const srdfg::Graph& graph, const srdfg::Node& node, const Tensor& x);

}  // namespace covenant::compiler::reference
