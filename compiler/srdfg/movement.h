/// Operations that compute nothing: each element of the output is one of the inputs.
#pragma once

#include <string_view>

#include "compiler/srdfg/graph.h"

namespace covenant::compiler::srdfg {

/// reshape, transpose, slice, repeat, pad and concat.
bool is_movement(std::string_view operation);

/// Whether shapes and attributes of such a node fit, as operations.h says; empty if they do. Precondition: is_movement,
/// one output, at least one input.
std::string_view mistake_in_movement(const Node& node, const Graph& graph);

}  // namespace covenant::compiler::srdfg
