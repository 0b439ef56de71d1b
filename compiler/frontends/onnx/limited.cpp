#include "compiler/frontends/onnx/limited.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "compiler/frontends/onnx/quantization.h"

namespace covenant::compiler::frontend {
namespace {

using srdfg::Graph;
using srdfg::Modifier;
using srdfg::Node;
using srdfg::Quantization;
using srdfg::ValueId;

constexpr std::array<std::string_view, 12> kClamping{
    "Conv", "AveragePool", "Gemm", "MatMul", "Add", "Mul", "Sub", "Div", "Max", "Min", "GlobalAveragePool", "Softmax"};

bool is_limit(const Node& node) { return node.operation == "Relu" || node.operation == "Clip"; }

/// The node that alone reads a value, once; none of an output.
std::optional<size_t> only_reader(const Graph& model, const Uses& uses, ValueId value) {
  const std::vector<size_t>& readers = uses.consumers[value.value];
  const bool is_alone = readers.size() == 1 && model.get(value).modifier != Modifier::kOutput;
  return is_alone ? std::optional(readers[0]) : std::nullopt;
}

std::optional<Quantization> quantization_of(const Graph& model, const Node& node, ValueId stored) {
  const QuantizationInputs inputs = quantization_inputs(model, node, 0);
  auto found = per_tensor(model, node, model.get(stored).dtype, inputs);
  return found ? std::optional(*found) : std::nullopt;
}

/// True if the value is made by an operator whose results a layer can clamp, with at most limits of its own.
bool is_made_by_layer(const Graph& model, const Uses& uses, ValueId value) {
  auto producer = uses.producers[value.value];
  while (producer && is_limit(model.nodes[*producer]))
    producer = uses.producers[model.nodes[*producer].inputs[0].value];
  return producer && std::ranges::find(kClamping, model.nodes[*producer].operation) != kClamping.end();
}

}  // namespace

std::optional<size_t> limited_by(const Graph& model, const Uses& uses, size_t quantize) {
  const Node& first = model.nodes[quantize];
  if (!is_made_by_layer(model, uses, first.inputs[0])) return std::nullopt;
  const auto dequantize = only_reader(model, uses, first.outputs[0]);
  if (!dequantize || model.nodes[*dequantize].operation != "DequantizeLinear") return std::nullopt;
  auto reader = only_reader(model, uses, model.nodes[*dequantize].outputs[0]);
  if (!reader || !is_limit(model.nodes[*reader])) return std::nullopt;
  while (reader && is_limit(model.nodes[*reader])) reader = only_reader(model, uses, model.nodes[*reader].outputs[0]);
  if (!reader || model.nodes[*reader].operation != "QuantizeLinear") return std::nullopt;
  const Node& last = model.nodes[*reader];
  const auto wanted = quantization_of(model, last, last.outputs[0]);
  const bool is_alike = wanted && quantization_of(model, first, first.outputs[0]) == wanted &&
                        quantization_of(model, model.nodes[*dequantize], first.outputs[0]) == wanted &&
                        model.get(first.outputs[0]).dtype == model.get(last.outputs[0]).dtype;
  return is_alike ? reader : std::nullopt;
}

}  // namespace covenant::compiler::frontend
