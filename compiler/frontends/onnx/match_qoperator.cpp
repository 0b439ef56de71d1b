#include "compiler/frontends/onnx/match_qoperator.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "compiler/frontends/onnx/movement.h"
#include "compiler/frontends/onnx/quantization.h"
#include "compiler/frontends/onnx/refusal.h"
#include "compiler/srdfg/queries.h"

namespace covenant::compiler::frontend {
namespace {

using srdfg::Graph;
using srdfg::Node;
using srdfg::Value;

/// The operand positions of operators that carry scales.
struct Form {
  std::string_view name;
  std::string_view operation;
  std::optional<size_t> second;  ///< first input of the second activation
  std::optional<size_t> weight;  ///< first input of the weights
  std::optional<size_t> bias;
  size_t output_scale;
  std::optional<size_t> table{};
};

constexpr std::array<Form, 9> kForms{{
    {"QLinearConv", "conv", {}, 3, 8, 6},
    {"QLinearMatMul", "gemm", {}, 3, {}, 6},
    {"com.microsoft.QGemm", "gemm", {}, 3, 6, 7},
    {"com.microsoft.QLinearAdd", "add", 3, {}, {}, 6},
    {"com.microsoft.QLinearMul", "mul", 3, {}, {}, 6},
    {"covenant.Lookup", "lookup", {}, {}, {}, 4, 3},
    {"com.microsoft.QLinearAveragePool", "average_pool", {}, {}, {}, 3},
    {"com.microsoft.QLinearGlobalAveragePool", "global_average_pool", {}, {}, {}, 3},
    {"com.microsoft.QLinearSoftmax", "softmax", {}, {}, {}, 3},
}};

/// The normalised operation of an operator that works on stored values directly; nothing for others.
std::optional<std::string> direct_operation(const std::string& name) {
  if (name == "MaxPool") return "max_pool";
  if (name == "Relu" || name == "Clip") return "clip";
  return movement_of(name);
}

bool present(const Graph& model, const Node& node, size_t index) {
  return index < node.inputs.size() && !model.get(node.inputs[index]).name.empty();
}

Result<Operand> activation(const Graph& model, const Node& node, size_t index) {
  const QuantizationInputs inputs = quantization_inputs(model, node, index);
  auto quantization = per_tensor(model, node, model.get(inputs.tensor).dtype, inputs);
  if (!quantization) return quantization.error();
  return Operand{inputs.tensor, *quantization};
}

Result<Operand> weights(const Graph& model, const Node& node, const Form& form) {
  const QuantizationInputs inputs = quantization_inputs(model, node, form.weight.value());
  if (model.get(inputs.tensor).modifier != srdfg::Modifier::kParam) {
    return diagnostic({.code = kWeights,
                       .subject = subject_of(node),
                       .message = "the second operand is computed, not constant",
                       .offending = model.get(inputs.tensor).name,
                       .allowed = {"constant weights"},
                       .fix = "a product of two activations is a QLinearMatMul"});
  }
  const auto transposed = node.attributes.find("transB");
  const bool turned = transposed != node.attributes.end() && transposed->second != srdfg::Attribute(int64_t{0});
  auto quantization = per_channel(model, node, inputs, form.operation == "gemm" && !turned ? 1 : 0);
  if (!quantization) return quantization.error();
  return Operand{inputs.tensor, *quantization};
}

/// A bound of a Clip on stored values: a constant of the tensor's dtype.
Result<std::optional<int64_t>> bound(const Graph& model, const Node& node, size_t index) {
  if (!present(model, node, index)) return std::optional<int64_t>{};
  const Value& value = model.get(node.inputs[index]);
  const bool fits = value.modifier == srdfg::Modifier::kParam && srdfg::element_count(value.shape) == 1 &&
                    value.dtype == model.get(node.inputs[0]).dtype && is_narrow(value.dtype);
  if (fits) return std::optional<int64_t>{srdfg::integer_elements(value)[0]};
  return diagnostic({.code = kAttribute,
                     .subject = subject_of(node),
                     .message = "a bound is no constant of the tensor's dtype",
                     .offending = value.name,
                     .allowed = {"one constant element"},
                     .fix = "make the bounds initialisers of the model"});
}

Result<Layer> match_direct(const Graph& model, size_t index, const std::string& operation) {
  const Node& node = model.nodes[index];
  Layer layer{.core = index,
              .operation = operation,
              .activations = {{node.inputs[0], {}}},
              .output = node.outputs[0],
              .pattern = {index}};
  for (size_t i = 1; operation == "concat" && i < node.inputs.size(); ++i) {
    layer.activations.push_back({node.inputs[i], {}});
  }
  if (node.operation == "Relu") layer.lowest = 0;
  if (node.operation == "Clip") {
    auto lowest = bound(model, node, 1);
    auto highest = bound(model, node, 2);
    if (!lowest) return lowest.error();
    if (!highest) return highest.error();
    layer.lowest = *lowest;
    layer.highest = *highest;
    // ONNX: clip is min(max(x, lowest), highest), so the upper bound wins where they cross
    if (layer.lowest && layer.highest) layer.lowest = std::min(*layer.lowest, *layer.highest);
  }
  return layer;
}

}  // namespace

bool is_qoperator(const Graph& model, size_t index) {
  const Node& node = model.nodes[index];
  if (std::ranges::find(kForms, node.operation, &Form::name) != kForms.end()) return true;
  return direct_operation(node.operation) && model.get(node.inputs[0]).dtype != DType::kF32;
}

Result<Layer> match_qoperator(const Graph& model, size_t index) {
  const Node& node = model.nodes[index];
  if (const auto operation = direct_operation(node.operation)) return match_direct(model, index, *operation);
  const Form& form = *std::ranges::find(kForms, node.operation, &Form::name);
  Layer layer{.core = index, .operation = std::string(form.operation), .output = node.outputs[0], .pattern = {index}};
  for (size_t input : {size_t{0}, form.second.value_or(0)}) {
    if (input == 0 && !layer.activations.empty()) break;
    Result<Operand> operand = activation(model, node, input);
    if (!operand) return operand.error();
    layer.activations.push_back(*operand);
  }
  const bool has_two =
      node.operation == "QLinearMatMul" && model.get(node.inputs[*form.weight]).modifier != srdfg::Modifier::kParam;
  if (has_two) {
    layer.operation = "matmul";
    Result<Operand> operand = activation(model, node, *form.weight);
    if (!operand) return operand.error();
    layer.activations.push_back(*operand);
  } else if (form.weight) {
    Result<Operand> operand = weights(model, node, form);
    if (!operand) return operand.error();
    layer.weight = *operand;
  }
  if (form.table) layer.table = node.inputs[*form.table];
  if (form.bias && present(model, node, *form.bias)) layer.bias = node.inputs[*form.bias];
  if (!present(model, node, form.output_scale)) {
    return diagnostic({.code = kMalformed,
                       .subject = subject_of(node),
                       .message = "the operator has no output scale: it would make float results",
                       .offending = "no output scale",
                       .allowed = {"a constant scale and zero point of the output"},
                       .fix = "quantise the output of the layer too"});
  }
  QuantizationInputs output{node.outputs[0], node.inputs[form.output_scale], std::nullopt};
  if (present(model, node, form.output_scale + 1)) output.zero_point = node.inputs[form.output_scale + 1];
  auto quantization = per_tensor(model, node, model.get(node.outputs[0]).dtype, output);
  if (!quantization) return quantization.error();
  layer.output_quantization = *quantization;
  return layer;
}

}  // namespace covenant::compiler::frontend
