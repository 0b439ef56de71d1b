/// Reference operators of max_pool, average_pool and global_average_pool.
#pragma once

#include "compiler/reference/tensor.h"
#include "compiler/srdfg/graph.h"

namespace covenant::compiler::reference {

/// The largest stored value under each window; padding never wins. [N,C,H,W] -> [N,C,OH,OW].
Tensor max_pool(const srdfg::Graph& graph, const srdfg::Node& node, const Tensor& x);

/// The mean under each window, in single precision. [N,C,H,W] -> [N,C,OH,OW].
Tensor average_pool(const srdfg::Graph& graph, const srdfg::Node& node, const Tensor& x);

/// [N,C,H,W] -> [N,C,1,1].
Tensor global_average_pool(const srdfg::Graph& graph, const srdfg::Node& node, const Tensor& x);

}  // namespace covenant::compiler::reference
