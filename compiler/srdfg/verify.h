/// Is a graph well formed? Run after every pass in tests, and on every graph read from text.
#pragma once

#include "acg/base/result.h"
#include "compiler/srdfg/declared.h"
#include "compiler/srdfg/graph.h"

namespace covenant::compiler::srdfg {

/// Of any graph: ids in range; every value made once, before it is used, by a node, as an input or as a param;
/// modifiers that fit; data of params as long as dtype and shape say; quantisation lists of one length; bodies (at most
/// one per node) well formed and with the node's inputs and outputs. ONX0019 names the first value or node that is
/// wrong.
Status verify(const Graph& graph);

/// Besides, what `normalize` promises (compiler/srdfg/operations.h): known operations, their counts of inputs, dtypes,
/// shapes, attributes and quantisation.
/// `declared`: operations beside those of operations.h.
Status verify_normalized(const Graph& graph, const DeclaredOperators& declared = {});

}  // namespace covenant::compiler::srdfg
