/// Templates: replace operators without a codelet by finer ones that have codelets.
#pragma once

#include "compiler/operators/operator.h"

namespace covenant::compiler::operators {

/// Expands each softmax into reduce_max, softmax_sum and softmax_quotient, each matmul into row_sums, column_sums and
/// matmul_stored, and each layer_norm into lookup, row_sums, row_mean, row_squares, row_variance, row_deviation,
/// normalize_rows and scale_columns. Values keep their names and contents; those of the parts are added. Precondition
/// and postcondition: verify_normalized.
srdfg::Graph expand_templates(const srdfg::Graph& graph);

}  // namespace covenant::compiler::operators
