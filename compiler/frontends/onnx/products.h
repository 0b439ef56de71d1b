/// Products of two activations: converts any rank, as in ONNX, to three dimensions, as in
/// compiler/operators/operators.h.
#pragma once

#include <optional>
#include <vector>

#include "acg/base/result.h"
#include "compiler/frontends/onnx/fused.h"

namespace covenant::compiler::frontend {

/// The shape of a product of tensors of these shapes, by the ONNX specification of MatMul: a vector is a row on the
/// left, a column on the right. Nothing if they make none.
std::optional<std::vector<uint64_t>> matmul_shape(const std::vector<uint64_t>& a, const std::vector<uint64_t>& b);

/// [G,M,N] of a product of which matmul_shape is the shape. The matrices of `a` are rows of one if there is one `b` for
/// all of them.
std::vector<uint64_t> product_shape(const std::vector<uint64_t>& a, const std::vector<uint64_t>& b);

/// Both operands of a matmul, [G,M,K] and [G,K,N]; one that is broadcast is repeated. Errors: those of `connect`.
Result<std::vector<srdfg::ValueId>> product_operands(Normalizing& normalizing, const srdfg::Node& core,
                                                     const Layer& layer);

}  // namespace covenant::compiler::frontend
