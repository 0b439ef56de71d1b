/// Converts weights and biases to the single form of compiler/operators/operators.h.
#pragma once

#include <vector>

#include "acg/base/result.h"
#include "compiler/srdfg/graph.h"

namespace covenant::compiler::frontend {

/// Weights with a sign and zero point 0: each element minus its zero point. Where that needs more bits than the
/// elements have, the sum of several tensors. `turned`: a matrix [O,K] becomes [K,O], its axis with it. ONX0005 for
/// other dtypes.
Result<std::vector<srdfg::Value>> normalized_weights(const srdfg::Node& node, const srdfg::Value& stored,
                                                     const srdfg::Quantization& quantization, bool turned);

/// i32 [O] from an i32 [O] or [1,O]; ONX0015 otherwise.
Result<srdfg::Value> normalized_bias(const srdfg::Node& node, const srdfg::Value& stored, uint64_t outputs);

}  // namespace covenant::compiler::frontend
