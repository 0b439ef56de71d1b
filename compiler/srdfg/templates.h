/// Operations that no codelet does, by finer ones that some do.
#pragma once

#include <vector>

#include "compiler/srdfg/graph.h"

namespace covenant::compiler::srdfg {

/// The graph with each softmax as reduce_max, softmax_sum and softmax_quotient, and each matmul as row_sums,
/// column_sums and matmul_stored, each layer_norm as lookup, row_sums, row_mean, row_squares, row_variance,
/// row_deviation, normalize_rows and scale_columns: the same values under the same names, and those of the parts.
/// Precondition and postcondition: verify_normalized.
Graph expand_templates(const Graph& graph);

/// The table of a softmax (compiler/srdfg/operations.h) of `count` elements at scale `x_scale`, f32, the entry for the
/// byte 0 first.
std::vector<float> exponentials(float x_scale, uint64_t count, DType dtype);

/// f32(floor(1 / y_scale)): what each exponential is multiplied by before it is divided by their sum.
float steps_to_one(float y_scale);

}  // namespace covenant::compiler::srdfg
