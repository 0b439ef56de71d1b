/// Bodies: the finer graphs that nodes stand for.
///
/// The ports of a body, its inputs and outputs, are the inputs and outputs of its node, in their order. A body says how
/// the node is made of finer ones; where the node's operation has a meaning of its own, both compute the same.
#pragma once

#include <functional>

#include "compiler/srdfg/graph.h"

namespace covenant::compiler::srdfg {

/// The body of a node of `graph` as a graph of its own: ports for params of `graph` are params with their data.
/// Precondition: srdfg::verify(graph), and the node has a body.
Graph bound_body(const Graph& graph, const Node& node);

/// The graph in which bodies stand in the place of their nodes, down to the finest. Nodes for which `is_whole` is true
/// stay as they are, and so do those without a body. Values keep their names; those of bodies, and nodes, are given
/// others if theirs are taken. The node that makes the first output takes the name of the node that is replaced.
/// Precondition and postcondition: srdfg::verify.
Graph inline_bodies(Graph graph, const std::function<bool(const Node&)>& is_whole);

}  // namespace covenant::compiler::srdfg
