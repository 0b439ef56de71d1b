/// The nodes of a machine that can do what a codelet is mapped to.
#pragma once

#include <vector>

#include "acg/graph/graph.h"
#include "compiler/codelet/codelet.h"

namespace covenant::compiler {

/// Pre: mapped. The same codelet on other nodes: every choice of nodes for its computes but the present one, where each
/// takes as much at once as the node that it stands for. Computes that share a node stay together. Those with the most
/// other nodes come first; at most 8.
std::vector<codelet::Codelet> on_other_nodes(const codelet::Codelet& mapped, const acg::Machine& machine);

}  // namespace covenant::compiler
