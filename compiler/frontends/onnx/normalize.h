/// Converts ONNX operators to the normalised ones of compiler/operators/operators.h.
#pragma once

#include "acg/base/result.h"
#include "compiler/srdfg/declared.h"
#include "compiler/srdfg/graph.h"

namespace covenant::compiler::frontend {

/// The graph `read_onnx` gives, its quantised layers fused:
///   QOperator   QLinearConv(x, w, ...)                                       --> conv
///   QDQ         DequantizeLinear -> Conv -> (Relu, Clip) -> QuantizeLinear   --> conv, the activation in lowest,
///   highest; so are limits between two equal QuantizeLinear (limited.h)
/// Quantised values keep their names. Layers that no graph output depends on are dropped. Which operator in which style
/// under which restrictions: docs/reference/onnx-support.md; what is refused: ONX0006 to ONX0016. Tests:
/// tests/pass/frontend. Post: verify_normalized(result). Operators that are `declared` are taken in QDQ style, with one
/// quantisation for all operands (ONX0016).
Result<srdfg::Graph> normalize(const srdfg::Graph& model, const srdfg::DeclaredOperators& declared = {});

}  // namespace covenant::compiler::frontend
