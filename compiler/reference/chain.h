/// Reference of chains of operations in f32.
#pragma once

#include <vector>

#include "compiler/reference/tensor.h"
#include "compiler/srdfg/graph.h"

namespace covenant::compiler::reference {

/// float_chain of operators.h. `inputs`: those of the node that are no params, in their order.
Tensor float_chain(const srdfg::Graph& graph, const srdfg::Node& node, const std::vector<const Tensor*>& inputs);

}  // namespace covenant::compiler::reference
