/// Reference operators of reshape, transpose, slice, repeat, pad and concat.
#pragma once

#include <string_view>
#include <vector>

#include "compiler/reference/tensor.h"
#include "compiler/srdfg/graph.h"

namespace covenant::compiler::reference {

/// True for operations that only move data. The reference has a list of its own: it does not ask the compiler.
bool is_movement(std::string_view operation);

/// The output of a node that only moves data. Precondition: is_movement(node.operation); elements of one byte.
Tensor move(const srdfg::Graph& graph, const srdfg::Node& node, const std::vector<const Tensor*>& inputs);

}  // namespace covenant::compiler::reference
