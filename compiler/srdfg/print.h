/// The text form of a graph. `parse` (compiler/srdfg/parse.h) is its inverse: parse(print(g)) == g.
///
///     srdfg "digits" {
///       value %0 "image" f32 [1,1,8,8] input;
///       value %1 "image_quantized" u8 [1,1,8,8] state scales=[0x1.010102p-8] zero_points=[0];
///       value %2 "conv1.weight" i8 [16,1,3,3] param scales=[0x1p-7] zero_points=[0] data="7f80...";
///       inputs %0;
///       outputs %9;
///       node "conv1" conv(%1, %2) -> (%3) { strides=[1,1]; pads=[1,1,1,1]; lowest=0; highest=255; }
///       body srdfg "conv1" { ... }
///     }
///
/// Floats are hexadecimal, data is hexadecimal bytes (row-major, little-endian): nothing is lost. A `body` belongs to
/// the node before it.
#pragma once

#include <string>

#include "compiler/srdfg/graph.h"

namespace covenant::compiler::srdfg {

std::string print(const Graph& graph);

/// The line of one node, with its bodies, and the lines of the values that it reads and makes.
std::string print_node(const Graph& graph, size_t node);

}  // namespace covenant::compiler::srdfg
