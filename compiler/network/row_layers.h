/// Layers on the rows of [G,M,K]: products of stored values of two activations, sums of rows and columns, and
/// normalisation of rows by such sums.
#pragma once

#include <string>

#include "compiler/network/layer_builder.h"

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

/// The view that such a layer has of one of its activations: columns in T chunks of L, except the first operand of a
/// product and of sums; one number per row is viewed L times.
Storage row_view(const NetworkLayer& layer, const std::string& name, const Storage& storage);

}  // namespace covenant::compiler
