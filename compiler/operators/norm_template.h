/// Expands normalisation along rows into operations that machines with sums of bytes can execute.
#pragma once

#include "compiler/operators/expansion.h"

namespace covenant::compiler::operators {

/// Expands `node`, a layer_norm, into tables of the high and low bytes of squares, row_sums of the elements and of both
/// tables, row_mean, row_squares, row_variance, row_deviation, normalize_rows and scale_columns.
void expand_layer_norm(Expansion& expansion, srdfg::Node node);

}  // namespace covenant::compiler::operators
