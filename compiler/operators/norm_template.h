/// The parts of a normalisation along rows, or of groups of channels, which machines with sums of bytes can execute.
#pragma once

#include "compiler/srdfg/graph.h"

namespace covenant::compiler::operators {

/// The body of `node`, a layer_norm of `graph`: tables of the high and low bytes of squares, row_sums of the elements
/// and of both tables, row_mean, row_squares, row_variance, row_deviation, normalize_rows and scale_columns.
srdfg::Graph layer_norm_body(const srdfg::Graph& graph, const srdfg::Node& node);

/// The body of a channel_norm: the same with channel_sums, normalize_channels and scale_channels, and numbers of
/// channels instead of rows.
srdfg::Graph channel_norm_body(const srdfg::Graph& graph, const srdfg::Node& node);

}  // namespace covenant::compiler::operators
