/// Weights and biases in the one form that srdfg/operations.h has.
#pragma once

#include "acg/base/result.h"
#include "compiler/srdfg/graph.h"

namespace covenant::compiler::frontend {

/// i8 weights with zero point 0: each element minus its zero point. `turned`: a matrix [O,K] becomes [K,O], its axis
/// with it. ONX0013 if an element minus its zero point needs more than 8 bits, ONX0005 for other dtypes.
Result<srdfg::Value> normalized_weights(const srdfg::Node& node, const srdfg::Value& stored,
                                        const srdfg::Quantization& quantization, bool turned);

/// i32 [O] from an i32 [O] or [1,O]; ONX0015 otherwise.
Result<srdfg::Value> normalized_bias(const srdfg::Node& node, const srdfg::Value& stored, uint64_t outputs);

}  // namespace covenant::compiler::frontend
