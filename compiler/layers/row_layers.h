/// Layers on the rows of [G,M,K]: products of stored values of two activations, sums of rows and columns, and
/// normalisation of rows by such sums.
#pragma once

#include "compiler/layers/layer_builder.h"

namespace covenant::compiler {

/// Products whose second operand is read in the layout of constant weights: copied into tiles. Errors: GEN0021, and
/// those of the passes that determine how the machine reads it.
Status bind_matmul_stored(LayerBuilder& builder);
Status bind_column_sums(LayerBuilder& builder);

Status bind_row_sums(LayerBuilder& builder);

/// Numbers of rows, made of sums.
Status bind_row_mean(LayerBuilder& builder);
Status bind_row_squares(LayerBuilder& builder);
Status bind_row_variance(LayerBuilder& builder);
Status bind_row_deviation(LayerBuilder& builder);

/// Rows scaled by such numbers, then columns by constants.
Status bind_normalize_rows(LayerBuilder& builder);
Status bind_scale_columns(LayerBuilder& builder);

}  // namespace covenant::compiler
