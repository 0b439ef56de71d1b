#include "compiler/frontends/onnx/sums.h"

#include <fmt/format.h>

#include "compiler/frontends/onnx/attributes.h"
#include "compiler/frontends/onnx/parameters.h"
#include "compiler/frontends/onnx/refusal.h"
#include "compiler/frontends/onnx/weights.h"
#include "compiler/frontends/onnx/window.h"
#include "compiler/srdfg/queries.h"
#include "compiler/srdfg/windows.h"

namespace covenant::compiler::frontend {
namespace {

using srdfg::Graph;
using srdfg::Modifier;
using srdfg::Node;
using srdfg::Quantization;
using srdfg::Value;
using srdfg::ValueId;

constexpr size_t kLeft = 0, kRight = 1;  ///< operands; their zero points are two inputs further

/// One constant zero point of a node, or several; 0 if it gives none.
Result<std::vector<int32_t>> zero_points(const Graph& model, const Node& node, size_t operand) {
  const size_t input = operand + 2;
  if (input >= node.inputs.size() || model.get(node.inputs[input]).name.empty()) return std::vector<int32_t>{0};
  const Value& value = model.get(node.inputs[input]);
  if (value.modifier == Modifier::kParam && value.dtype == model.get(node.inputs[operand]).dtype &&
      is_narrow(value.dtype) && value.shape.size() <= 1) {
    const std::vector<int64_t> elements = srdfg::integer_elements(value);
    return std::vector<int32_t>{elements.begin(), elements.end()};
  }
  return diagnostic({.code = kQuantization,
                     .subject = subject_of(node),
                     .message = "a zero point is no constant of its operand's dtype",
                     .offending = value.name,
                     .allowed = {"one constant", "one constant for each output channel of the weights"},
                     .fix = "quantise statically: every zero point is then a constant of the model"});
}

Status check_activation(const Normalizing& normalizing, const Node& node, ValueId x) {
  const Result<std::vector<int32_t>> stated = zero_points(normalizing.model, node, kLeft);
  if (!stated) return stated.error();
  const Quantization& quantization = normalizing.graph.get(x).quantization.value();
  if (*stated == quantization.zero_points) return Done{};
  return diagnostic({.code = kQuantization,
                     .subject = subject_of(node),
                     .message = "the first operand has another zero point than it was made with",
                     .offending = stated->empty() ? "none" : fmt::format("{}", stated->front()),
                     .allowed = {fmt::format("{}", quantization.zero_points[0])},
                     .fix = "name the zero point of the QuantizeLinear that makes the operand"});
}

/// [O,C,KH,KW], or [K,O]; several whose sum they are.
Result<std::vector<Value>> weights_of(const Graph& model, const Node& node, bool is_conv) {
  const Value& stored = model.get(node.inputs[kRight]);
  if (stored.modifier != Modifier::kParam) {
    return diagnostic({.code = kWeights,
                       .subject = subject_of(node),
                       .message = "the second operand is computed, not constant",
                       .offending = stored.name,
                       .allowed = {"constant weights"},
                       .fix = "quantise the product of two activations, as a MatMul in QDQ or a QLinearMatMul"});
  }
  Result<std::vector<int32_t>> zeros = zero_points(model, node, kRight);
  if (!zeros) return zeros.error();
  const int32_t axis = is_conv ? 0 : 1;
  const bool is_single = zeros->size() == 1;
  const auto along = static_cast<size_t>(axis);
  if (!is_single && (along >= stored.shape.size() || zeros->size() != stored.shape[along])) {
    return malformed(node, "the weights have another number of zero points than of output channels",
                     fmt::format("{} for {}", zeros->size(), shape_text(stored.shape)));
  }
  Quantization quantization{std::vector<float>(zeros->size(), 1.0F), *zeros, is_single ? -1 : axis};
  return normalized_weights(node, stored, quantization, false);
}

std::vector<int64_t> list(const auto& entries) { return {entries.begin(), entries.end()}; }

Status add_window(const Graph& model, const Node& node, Node& made) {
  const std::vector<uint64_t>& kernel = model.get(node.inputs[kRight]).shape;
  const Result<Window> window =
      window_of(node, model.get(node.inputs[kLeft]).shape, {kernel.begin() + 2, kernel.end()});
  if (!window) return window.error();
  made.attributes["strides"] = list(window->strides);
  made.attributes["pads"] = list(window->pads);
  if (list(window->dilations) != std::vector<int64_t>{1, 1}) made.attributes["dilations"] = list(window->dilations);
  if (const int64_t groups = integer_or(node, "group", 1); groups != 1) made.attributes["group"] = groups;
  return Done{};
}

}  // namespace

bool keeps_sums(std::string_view operation) { return operation == "ConvInteger" || operation == "MatMulInteger"; }

Status append_sums(Normalizing& normalizing, const Node& node) {
  const bool is_conv = node.operation == "ConvInteger";
  const size_t rank = is_conv ? 4 : 2;
  const Graph& model = normalizing.model;
  for (const size_t operand : {kLeft, kRight}) {
    const std::vector<uint64_t>& shape = model.get(node.inputs[operand]).shape;
    if (shape.size() == rank) continue;
    return unsupported_rank(node, fmt::format("only operands of {} dimensions are supported", rank), shape_text(shape),
                            "reshape the operand before it, and the sums after it");
  }
  const Result<ValueId> x = connect(normalizing, node, {node.inputs[kLeft], {}});
  if (!x) return x.error();
  if (Status status = check_activation(normalizing, node, *x); !status) return status;
  Result<std::vector<Value>> parts = weights_of(model, node, is_conv);
  if (!parts) return parts.error();
  Node made{.name = {}, .operation = is_conv ? "conv_sums" : "gemm_sums", .body = {}};
  if (is_conv) {
    if (Status status = add_window(model, node, made); !status) return status;
  }
  Product product = product_of(normalizing, node.name, *x, std::move(*parts), srdfg::dilations(made),
                               is_conv ? integer_or(node, "group", 1) : 1);
  if (is_conv) {
    repeat_window(product.repeats, made);
  } else {
    product.weights.shape.insert(product.weights.shape.begin(), 1);
    srdfg::Quantization& quantization = product.weights.quantization.value();
    if (quantization.axis != -1) quantization.axis = 2;
  }
  made.inputs = {product.x, normalizing.add(std::move(product.weights))};
  const Value& output = model.get(node.outputs[0]);
  made.outputs = {normalizing.add(
      {.name = output.name, .dtype = DType::kI32, .shape = output.shape, .modifier = Modifier::kState})};
  made.name = normalizing.names.unique(node.name);
  normalizing.ids[node.outputs[0].value] = made.outputs[0];
  normalizing.graph.nodes.push_back(std::move(made));
  return Done{};
}

}  // namespace covenant::compiler::frontend
