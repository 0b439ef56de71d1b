/// Templates: replace operations without a codelet by finer ones that have codelets.
#pragma once

#include <vector>

#include "compiler/srdfg/graph.h"

namespace covenant::compiler::srdfg {

/// Expands each softmax into reduce_max, softmax_sum and softmax_quotient, each matmul into row_sums, column_sums and
/// matmul_stored, and each layer_norm into lookup, row_sums, row_mean, row_squares, row_variance, row_deviation,
/// normalize_rows and scale_columns. Values keep their names and contents; those of the parts are added. Precondition
/// and postcondition: verify_normalized.
Graph expand_templates(const Graph& graph);

/// The table of a softmax (compiler/srdfg/operations.h) over `count` elements at scale `x_scale`: f32, the entry of
/// byte 0 first. A power of two divides all entries where the largest one times `steps` would exceed f32.
std::vector<float> exponentials(float x_scale, uint64_t count, DType dtype, float steps);

/// f32(floor(1 / y_scale)): the factor of each exponential before it is divided by the sum of all.
float steps_to_one(float y_scale);

}  // namespace covenant::compiler::srdfg
