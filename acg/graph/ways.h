/// Paths that data can take within one layer.
#pragma once

#include <vector>

#include "acg/graph/graph.h"

namespace covenant::acg {

/// Nodes from `from` to `to`, like `shortest_path`, but never through an off-chip memory: what lies in one stays there
/// for the whole layer. The path may begin or end with one.
std::vector<NodeId> shortest_way(const Machine& machine, NodeId from, NodeId to);

}  // namespace covenant::acg
