#include "compiler/frontends/onnx/quantization.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "compiler/frontends/onnx/attributes.h"
#include "compiler/frontends/onnx/refusal.h"
#include "compiler/srdfg/queries.h"

namespace covenant::compiler::frontend {
namespace {

using srdfg::Graph;
using srdfg::Node;
using srdfg::Quantization;
using srdfg::Value;

constexpr const char* kStatically =
    "quantise statically (covenant quantize, or onnxruntime.quantization.quantize_static): every scale and zero point "
    "is then a constant of the model";

Diagnostic unsuitable(const Node& node, const Value& value, std::string message, std::string offending,
                      std::vector<std::string> allowed, std::string fix) {
  return diagnostic({.code = kQuantization,
                     .subject = subject_of(node),
                     .message = fmt::format("{} {}", value.name, message),
                     .offending = std::move(offending),
                     .allowed = std::move(allowed),
                     .fix = std::move(fix)});
}

Diagnostic unsupported(const Node& node, std::string message, DType dtype, std::vector<std::string> allowed) {
  return diagnostic({.code = kDtype,
                     .subject = subject_of(node),
                     .message = std::move(message),
                     .offending = std::string(name(dtype)),
                     .allowed = std::move(allowed),
                     .fix = "quantise with activation_type and weight_type QuantType.QUInt8 or QuantType.QInt8"});
}

Status check_scales(const Node& node, const Value& scale) {
  if (scale.modifier != srdfg::Modifier::kParam) {
    return unsuitable(node, scale, "is a scale that is computed", "no constant", {"a constant f32 scale"}, kStatically);
  }
  if (integer_or(node, "block_size", 0) != 0 || scale.shape.size() > 1) {
    return unsuitable(
        node, scale, "has a scale for each block of elements",
        fmt::format("block_size={}, scales {}", integer_or(node, "block_size", 0), shape_text(scale.shape)),
        {"one scale for the tensor", "one for each output channel of weights"},
        "quantise without blocks: per tensor, or per channel");
  }
  if (scale.dtype != DType::kF32) {
    return unsuitable(node, scale, "is a scale of another type than f32", std::string(name(scale.dtype)), {"f32"},
                      "convert the float model to f32 before it is quantised");
  }
  for (float entry : srdfg::float_elements(scale)) {
    if (!std::isfinite(entry) || entry <= 0) {
      return unsuitable(node, scale, "is a scale that is not positive and finite", fmt::format("{}", entry),
                        {"a positive finite f32"},
                        "quantise again, with samples in which this tensor is neither always 0 nor infinite");
    }
  }
  return Done{};
}

Status check_zero_points(const Node& node, const Value& zero_point, DType dtype) {
  if (zero_point.modifier != srdfg::Modifier::kParam) {
    return unsuitable(node, zero_point, "is a zero point that is computed", "no constant", {"a constant zero point"},
                      kStatically);
  }
  if (zero_point.dtype != dtype || zero_point.shape.size() > 1) {
    return unsuitable(node, zero_point, "is no zero point of the tensor's type",
                      fmt::format("{} {}", name(zero_point.dtype), shape_text(zero_point.shape)),
                      {fmt::format("{} [], or one element for each scale", name(dtype))},
                      "give the zero point the type of the tensor that it belongs to");
  }
  return Done{};
}

Result<Quantization> read(const Graph& graph, const Node& node, DType dtype, const QuantizationInputs& inputs) {
  const Value& scale = graph.get(inputs.scale);
  if (Status status = check_scales(node, scale); !status) return status.error();
  Quantization quantization{.scales = srdfg::float_elements(scale), .zero_points = {}};
  std::vector<int64_t> zero_points{0};
  if (inputs.zero_point) {
    const Value& zero_point = graph.get(*inputs.zero_point);
    if (Status status = check_zero_points(node, zero_point, dtype); !status) return status.error();
    zero_points = srdfg::integer_elements(zero_point);
  }
  if (zero_points.size() == 1) zero_points.resize(quantization.scales.size(), zero_points[0]);
  if (quantization.scales.empty() || zero_points.size() != quantization.scales.size()) {
    return unsuitable(node, scale, "has another number of elements than its zero points",
                      fmt::format("{} scales, {} zero points", quantization.scales.size(), zero_points.size()),
                      {"as many zero points as scales", "one"}, "give each scale its zero point");
  }
  quantization.zero_points.assign(zero_points.begin(), zero_points.end());
  return quantization;
}

}  // namespace

QuantizationInputs quantization_inputs(const Graph& graph, const Node& node, size_t tensor) {
  QuantizationInputs inputs{node.inputs.at(tensor), node.inputs.at(tensor + 1), std::nullopt};
  if (tensor + 2 < node.inputs.size() && !graph.get(node.inputs[tensor + 2]).name.empty()) {
    inputs.zero_point = node.inputs[tensor + 2];
  }
  return inputs;
}

Result<Quantization> per_tensor(const Graph& graph, const Node& node, DType dtype, const QuantizationInputs& inputs) {
  if (!is_narrow(dtype)) {
    return unsupported(node, "the activation's quantised type is not supported", dtype,
                       {"i4", "u4", "i8", "u8", "i16", "u16"});
  }
  Result<Quantization> quantization = read(graph, node, dtype, inputs);
  if (!quantization) return quantization;
  if (quantization->scales.size() != 1) {
    return unsuitable(node, graph.get(inputs.scale), "has one scale per channel, on an activation",
                      fmt::format("{} scales", quantization->scales.size()), {"one scale"},
                      "quantise activations per tensor; per_channel=True is for weights");
  }
  return quantization;
}

Result<Quantization> per_channel(const Graph& graph, const Node& node, const QuantizationInputs& inputs, int32_t axis) {
  const Value& tensor = graph.get(inputs.tensor);
  if (!is_narrow(tensor.dtype) && tensor.dtype != DType::kI32) {
    return unsupported(node, fmt::format("the quantised type of {} is not supported", tensor.name), tensor.dtype,
                       {"i4", "u4", "i8", "u8", "i16", "u16", "i32 for a bias"});
  }
  Result<Quantization> quantization = read(graph, node, tensor.dtype, inputs);
  if (quantization && tensor.dtype == DType::kI32 &&
      std::ranges::any_of(quantization->zero_points, [](int32_t zero_point) { return zero_point != 0; })) {
    return diagnostic({.code = kBias,
                       .subject = subject_of(node),
                       .message = fmt::format("the bias {} has a zero point", tensor.name),
                       .offending = "a zero point other than 0",
                       .allowed = {"0 for every element, or none"},
                       .fix = "subtract the zero points from the stored bias: ONNX Runtime takes none for i32"});
  }
  if (!quantization || quantization->scales.size() == 1) return quantization;
  const auto along = static_cast<size_t>(axis);
  const uint64_t channels = along < tensor.shape.size() ? tensor.shape[along] : 1;
  if (quantization->scales.size() != channels) {
    return unsuitable(node, graph.get(inputs.scale),
                      fmt::format("is not as long as dimension {} of {}, its output channels", axis, tensor.name),
                      fmt::format("{} scales for {}", quantization->scales.size(), shape_text(tensor.shape)),
                      {"1 scale", fmt::format("{} scales", channels)},
                      fmt::format("quantise {} per tensor, or with a scale for each output channel", tensor.name));
  }
  quantization->axis = axis;
  return quantization;
}

int64_t stored_value(float real, const Quantization& quantization, DType dtype) {
  const auto least = static_cast<float>(lowest(dtype));
  const auto most = static_cast<float>(highest(dtype));
  const float value = std::nearbyint(real / quantization.scales[0]) + static_cast<float>(quantization.zero_points[0]);
  return static_cast<int64_t>(std::min(std::max(value, least), most));
}

}  // namespace covenant::compiler::frontend
