/// Checks that a graph is well formed. Run after every pass in tests, and on every graph that is read from text.
#pragma once

#include "acg/base/result.h"
#include "compiler/srdfg/graph.h"

namespace covenant::compiler::srdfg {

/// Checks for any graph: ids are in range; every value is made once, before it is used, by a node, as an input or as a
/// param; modifiers fit; data of params matches dtype and shape; quantisation lists have one length; bodies (at most
/// one per node, compiler/srdfg/bodies.h) are well formed, and their ports have the dtypes, shapes and quantisation of
/// the node's inputs and outputs. Error: ONX0019, which names the first value or
/// node that is wrong.
Status verify(const Graph& graph);

}  // namespace covenant::compiler::srdfg
