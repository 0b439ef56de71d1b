/// Scales and zero points that the model's constants give.
#pragma once

#include <optional>

#include "acg/base/result.h"
#include "compiler/srdfg/graph.h"

namespace covenant::compiler::frontend {

/// The inputs of a node that give the quantisation of one of its tensors.
struct QuantizationInputs {
  srdfg::ValueId tensor;
  srdfg::ValueId scale;
  std::optional<srdfg::ValueId> zero_point;  ///< absent: zero
};

/// Inputs `tensor`, `tensor + 1` and `tensor + 2` of a node (of a QuantizeLinear or DequantizeLinear: from 0).
QuantizationInputs quantization_inputs(const srdfg::Graph& graph, const srdfg::Node& node, size_t tensor);

/// One scale and one zero point. ONX0005: the tensor is of no narrow integers. ONX0012: not constant, more than one, not
/// positive and finite, a zero point of another dtype than the tensor's.
Result<srdfg::Quantization> per_tensor(const srdfg::Graph& graph, const srdfg::Node& node, DType dtype,
                                       const QuantizationInputs& inputs);

/// One pair, or one per index of dimension `axis` of the tensor (a single zero point serves all scales), which may also
/// be a bias of i32.
Result<srdfg::Quantization> per_channel(const srdfg::Graph& graph, const srdfg::Node& node,
                                        const QuantizationInputs& inputs, int32_t axis);

/// The stored value of a real one by QuantizeLinear of the ONNX operator specification, each step rounded to f32.
int64_t stored_value(float real, const srdfg::Quantization& quantization, DType dtype);

}  // namespace covenant::compiler::frontend
