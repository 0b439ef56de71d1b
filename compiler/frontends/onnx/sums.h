/// Products with 32-bit sums as their results: ConvInteger and MatMulInteger of the ONNX operator specification.
#pragma once

#include <string_view>

#include "acg/base/result.h"
#include "compiler/frontends/onnx/fused.h"

namespace covenant::compiler::frontend {

/// True for ConvInteger and MatMulInteger.
bool keeps_sums(std::string_view operation);

/// Appends conv_sums or gemm_sums for such a node: an i32 output without a quantisation. The first operand is a stored
/// activation of rank 4, or 2, whose zero point is the node's (ONX0012); the second is constant (ONX0013).
Status append_sums(Normalizing& normalizing, const srdfg::Node& node);

}  // namespace covenant::compiler::frontend
