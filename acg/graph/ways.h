/// Ways that data can go in one layer.
#pragma once

#include <vector>

#include "acg/graph/graph.h"

namespace covenant::acg {

/// Nodes from `from` to `to` as `shortest_path` has them, but through no off-chip memory, with which the way may begin
/// or end: what lies in one stays there for the whole layer.
std::vector<NodeId> shortest_way(const Machine& machine, NodeId from, NodeId to);

}  // namespace covenant::acg
