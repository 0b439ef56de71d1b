/// The parts of a normalisation along rows, which machines with sums of bytes can execute.
#pragma once

#include "compiler/srdfg/graph.h"

namespace covenant::compiler::operators {

/// The body of `node`, a layer_norm of `graph`: tables of the high and low bytes of squares, row_sums of the elements
/// and of both tables, row_mean, row_squares, row_variance, row_deviation, normalize_rows and scale_columns.
srdfg::Graph layer_norm_body(const srdfg::Graph& graph, const srdfg::Node& node);

}  // namespace covenant::compiler::operators
