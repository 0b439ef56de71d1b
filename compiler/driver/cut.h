/// Cuts a graph into parts, each a graph of its own.
#pragma once

#include <string>
#include <vector>

#include "acg/base/result.h"
#include "compiler/srdfg/graph.h"

namespace covenant::compiler {

/// The parts of a graph, one more than `cuts`. A cut names a tensor, or the layer that makes it: all that this tensor
/// needs and no earlier part has makes up a part; what no cut needs is the last one. Tensors that a part makes for
/// later ones are its outputs and their inputs, under one name that no other tensor at an end of a part has. The host
/// quantises inputs of the graph for each part that takes them. Precondition and postcondition of each part:
/// operators::verify_normalized. Errors: GEN0080 (no such tensor), GEN0081 (a tensor that parts would hand on is not
/// quantised), GEN0082 (a part without layers).
Result<std::vector<srdfg::Graph>> cut(const srdfg::Graph& graph, const std::vector<std::string>& cuts);

}  // namespace covenant::compiler
