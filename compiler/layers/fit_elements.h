/// Changes the width of elements to that of the machine.
///
/// before: a normalised graph, whose quantised tensors may have elements of several widths
///
/// after: the same values; activations, weights and tables have elements of one width that the machine makes, the
/// narrowest that holds all of them. Zero points and limits give the range of each tensor.
#pragma once

#include "acg/base/result.h"
#include "acg/graph/graph.h"
#include "compiler/srdfg/graph.h"

namespace covenant::compiler {

/// Values keep their ids. A machine that requantises nothing takes the graph as it is.
/// Errors: NET0030 (an element is wider than any of the machine), NET0031 (an operation that goes by a table of all
/// values, of which wider elements have too many).
Result<srdfg::Graph> fit_elements(const srdfg::Graph& graph, const acg::Machine& machine);

}  // namespace covenant::compiler
