/// Reference operators of reshape, transpose, slice, repeat, pad and concat.
#pragma once

#include <vector>

#include "compiler/reference/tensor.h"
#include "compiler/srdfg/graph.h"

namespace covenant::compiler::reference {

/// The output of a node that only moves data. Precondition: srdfg::is_movement(node.operation); elements of one byte.
Tensor move(const srdfg::Graph& graph, const srdfg::Node& node, const std::vector<const Tensor*>& inputs);

}  // namespace covenant::compiler::reference
