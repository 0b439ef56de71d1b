/// Finds other nodes of a machine that can execute a mapped codelet.
#pragma once

#include <vector>

#include "acg/graph/graph.h"
#include "compiler/codelet/codelet.h"

namespace covenant::compiler {

/// Pre: mapped. The same codelet on other nodes: every choice of nodes for its computes except the present one, where
/// each node takes as much at once as the one that it replaces. Computes that share a node stay together. Choices that
/// change the most nodes come first; at most 8.
std::vector<codelet::Codelet> on_other_nodes(const codelet::Codelet& mapped, const acg::Machine& machine);

}  // namespace covenant::compiler
