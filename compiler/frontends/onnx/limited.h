/// Results that are quantised, clipped and quantised again: activations with fewer bits than their bytes have.
#pragma once

#include <optional>

#include "compiler/frontends/onnx/match_qdq.h"

namespace covenant::compiler::frontend {

/// `operator -> (Relu, Clip) -> QuantizeLinear -> DequantizeLinear -> Relu or Clip, one or more -> QuantizeLinear`, the
/// three of them under one scale and zero point, nothing else reading what lies between: the last node, for the first
/// QuantizeLinear `quantize`. Quantising is monotone, so that the second one and the limits are a clamp of the stored
/// value: a part of the layer. Operators that only move elements or that find maxima make no layer that clamps.
std::optional<size_t> limited_by(const srdfg::Graph& model, const Uses& uses, size_t quantize);

}  // namespace covenant::compiler::frontend
