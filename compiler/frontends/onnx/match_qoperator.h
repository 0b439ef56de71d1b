/// Recognises layers in the QOperator style: operators that compute on quantised tensors.
#pragma once

#include "acg/base/result.h"
#include "compiler/frontends/onnx/fused.h"

namespace covenant::compiler::frontend {

/// True if node `index` computes on quantised tensors itself: QLinearConv and the like, or MaxPool, Relu, Clip or a
/// movement (movement.h) of i8 or u8 tensors.
bool is_qoperator(const srdfg::Graph& model, size_t index);

/// The layer that node `index` is. Precondition: is_qoperator.
Result<Layer> match_qoperator(const srdfg::Graph& model, size_t index);

}  // namespace covenant::compiler::frontend
