/// Checks that a graph is normalised: each node agrees with the row of its operator.
#pragma once

#include "acg/base/result.h"
#include "compiler/srdfg/declared.h"
#include "compiler/srdfg/graph.h"

namespace covenant::compiler::operators {

/// Checks `srdfg::verify`, and what `normalize` guarantees (compiler/operators/operators.h): known operations, their
/// numbers of inputs, dtypes, shapes, attributes and quantisation. A node of another operation is a component if it has
/// a body, which says what it is. Bodies are normalised, too. `declared`: operations in addition to those of the
/// table. Error: ONX0019, which names the first node that is wrong.
Status verify_normalized(const srdfg::Graph& graph, const srdfg::DeclaredOperators& declared = {});

}  // namespace covenant::compiler::operators
