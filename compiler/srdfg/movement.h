/// Operations that only move data: each element of the output is an element of an input, or padding.
#pragma once

#include <string_view>

#include "compiler/srdfg/graph.h"

namespace covenant::compiler::srdfg {

/// True for reshape, transpose, slice, repeat, pad and concat.
bool is_movement(std::string_view operation);

/// Checks shapes and attributes of such a node against operations.h. Returns what is wrong, or an empty text.
/// Precondition: is_movement, one output, at least one input.
std::string_view mistake_in_movement(const Node& node, const Graph& graph);

}  // namespace covenant::compiler::srdfg
