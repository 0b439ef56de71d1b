/// Normalisation along rows by what a machine does that adds up bytes.
#pragma once

#include "compiler/srdfg/expansion.h"

namespace covenant::compiler::srdfg {

/// `node`, a layer_norm, as tables of the squares' high and low bytes, row_sums of the three, row_mean, row_squares,
/// row_variance, row_deviation, normalize_rows and scale_columns.
void expand_layer_norm(Expansion& expansion, Node node);

}  // namespace covenant::compiler::srdfg
