#include "compiler/frontends/onnx/normalize.h"

#include <algorithm>

#include "compiler/frontends/onnx/chains.h"
#include "compiler/frontends/onnx/fused.h"
#include "compiler/frontends/onnx/limited.h"
#include "compiler/frontends/onnx/match_qdq.h"
#include "compiler/frontends/onnx/match_qoperator.h"
#include "compiler/frontends/onnx/operators.h"
#include "compiler/frontends/onnx/quantization.h"
#include "compiler/frontends/onnx/refusal.h"
#include "compiler/frontends/onnx/rows.h"
#include "compiler/frontends/onnx/sink.h"
#include "compiler/frontends/onnx/sums.h"
#include "compiler/operators/verify.h"
#include "compiler/srdfg/queries.h"

namespace covenant::compiler::frontend {
namespace {

using srdfg::Graph;
using srdfg::Modifier;
using srdfg::Node;
using srdfg::Value;
using srdfg::ValueId;

/// Nodes that an output of the graph depends on. ONNX Runtime drops the others as well.
std::vector<bool> live_nodes(const Graph& model, const Uses& uses) {
  std::vector<bool> live(model.nodes.size());
  std::vector<ValueId> wanted = model.outputs;
  while (!wanted.empty()) {
    const auto producer = uses.producers[wanted.back().value];
    wanted.pop_back();
    if (!producer || live[*producer]) continue;
    live[*producer] = true;
    for (ValueId input : model.nodes[*producer].inputs) wanted.push_back(input);
  }
  return live;
}

/// True if a node quantises, or computes on stored values.
bool is_quantized(const Graph& model) {
  for (size_t index = 0; index < model.nodes.size(); ++index) {
    const OperatorRule* rule = find_operator(model.nodes[index].operation);
    if ((rule != nullptr && rule->quantized) || is_qoperator(model, index)) return true;
  }
  return false;
}

/// True if it quantises anything while it runs: a DequantizeLinear of constants alone leaves all activations float.
bool has_quantized_activations(const Graph& model) {
  return std::ranges::any_of(model.nodes,
                             [&](const Node& node) {
                               const bool is_dequantize = node.operation == "DequantizeLinear";
                               const OperatorRule* rule = find_operator(node.operation);
                               return !is_dequantize && rule != nullptr && rule->quantized;
                             }) ||
         std::ranges::any_of(model.inputs, [&](ValueId id) { return is_narrow(model.get(id).dtype); });
}

Diagnostic only_weights(const Graph& model) {
  Diagnostic refusal = float_model(model.name);
  refusal.message = "only weights of the model are quantised: its activations are float";
  refusal.fix =
      "quantise the float model that it was made of: covenant quantize model.onnx -o model_int8.onnx "
      "--calibrate samples.npz";
  return refusal;
}

bool is_graph_input(const Graph& model, ValueId id) { return model.get(id).modifier == Modifier::kInput; }

Node boundary_node(Normalizing& normalizing, const Node& node, std::string operation) {
  return {.name = normalizing.names.unique(node.name), .operation = std::move(operation), .body = {}};
}

/// An existing quantised form of the same input with the same scale and zero point. An output keeps a name of its own.
std::optional<ValueId> quantized_alike(const Normalizing& normalizing, ValueId real, const Value& stored,
                                       const srdfg::Quantization& quantization) {
  if (stored.modifier == Modifier::kOutput) return std::nullopt;
  for (const Node& node : normalizing.graph.nodes) {
    if (node.operation != "quantize" || node.inputs[0] != real) continue;
    const Value& made = normalizing.graph.get(node.outputs[0]);
    if (made.dtype == stored.dtype && made.quantization == quantization) return node.outputs[0];
  }
  return std::nullopt;
}

Status append_quantize(Normalizing& normalizing, const Node& node) {
  const Value& stored = normalizing.model.get(node.outputs[0]);
  QuantizationInputs inputs = quantization_inputs(normalizing.model, node, 0);
  auto quantization = per_tensor(normalizing.model, node, stored.dtype, inputs);
  if (!quantization) return quantization.error();
  if (normalizing.model.get(node.inputs[0]).dtype != DType::kF32) {
    return diagnostic({.code = kDtype,
                       .subject = subject_of(node),
                       .message = "the quantised graph input is not f32",
                       .offending = std::string(name(normalizing.model.get(node.inputs[0]).dtype)),
                       .allowed = {"f32"},
                       .fix = "export the model with float32 inputs"});
  }
  const ValueId real = normalizing.ids[node.inputs[0].value].value();
  if (const auto alike = quantized_alike(normalizing, real, stored, *quantization)) {
    normalizing.ids[node.outputs[0].value] = *alike;
    return Done{};
  }
  Node quantize = boundary_node(normalizing, node, "quantize");
  quantize.inputs = {real};
  Value output{.name = stored.name,
               .dtype = stored.dtype,
               .shape = stored.shape,
               .modifier = Modifier::kState,
               .quantization = *quantization};
  quantize.outputs = {normalizing.add(std::move(output))};
  normalizing.ids[node.outputs[0].value] = quantize.outputs[0];
  normalizing.graph.nodes.push_back(std::move(quantize));
  return Done{};
}

Status append_dequantize(Normalizing& normalizing, const Node& node) {
  const Value& real = normalizing.model.get(node.outputs[0]);
  const QuantizationInputs inputs = quantization_inputs(normalizing.model, node, 0);
  auto quantization = per_tensor(normalizing.model, node, normalizing.model.get(node.inputs[0]).dtype, inputs);
  if (!quantization) return quantization.error();
  Result<ValueId> stored = connect(normalizing, node, {node.inputs[0], *quantization});
  if (!stored) return stored.error();
  Value output{.name = real.name, .dtype = DType::kF32, .shape = real.shape, .modifier = Modifier::kState};
  const ValueId made = normalizing.add(std::move(output));
  Node dequantize = boundary_node(normalizing, node, "dequantize");
  dequantize.inputs = {*stored};
  dequantize.outputs = {made};
  normalizing.ids[node.outputs[0].value] = dequantize.outputs[0];
  normalizing.graph.nodes.push_back(std::move(dequantize));
  return Done{};
}

Status append_node(Normalizing& normalizing, const Uses& uses, size_t index, const srdfg::DeclaredOperators& declared,
                   std::vector<bool>& covered) {
  const Node& node = normalizing.model.nodes[index];
  if (node.operation == "DequantizeLinear") {
    covered[index] = true;  // of a layer's operand; checked with the layer
    const bool is_output = normalizing.model.get(node.outputs[0]).modifier == Modifier::kOutput;
    return is_output ? append_dequantize(normalizing, node) : Status(Done{});
  }
  if (node.operation == "QuantizeLinear" && is_graph_input(normalizing.model, node.inputs[0])) {
    covered[index] = true;
    return append_quantize(normalizing, node);
  }
  if (keeps_sums(node.operation)) {
    covered[index] = true;
    return append_sums(normalizing, node);
  }
  if (is_on_rows(node.operation)) {
    covered[index] = true;
    return append_on_rows(normalizing, node);
  }
  if (is_chain(node.operation)) {
    covered[index] = true;
    return append_chain(normalizing, node);
  }
  const bool quantized = is_qoperator(normalizing.model, index);
  if (!quantized && node.operation != "QuantizeLinear") return Done{};  // inside a pattern, or found uncovered later
  if (!quantized && limited_by(normalizing.model, uses, index)) return Done{};  // inside of a later one
  Result<Layer> layer =
      quantized ? match_qoperator(normalizing.model, index) : match_qdq(normalizing.model, uses, index, declared);
  if (!layer) return layer.error();
  for (size_t member : layer->pattern) covered[member] = true;
  return append(normalizing, *layer);
}

Status append_all(Normalizing& normalizing, const Uses& uses, const std::vector<bool>& live,
                  const srdfg::DeclaredOperators& declared) {
  std::vector<bool> covered(live.size());
  for (size_t index = 0; index < live.size(); ++index) {
    if (!live[index]) continue;
    if (Status status = append_node(normalizing, uses, index, declared, covered); !status) return status;
  }
  for (size_t index = 0; index < live.size(); ++index) {
    if (!live[index] || covered[index]) continue;
    const Node& node = normalizing.model.nodes[index];
    return diagnostic({.code = kFloatOperator,
                       .subject = subject_of(node),
                       .message = "a float operator is left between the quantised ones",
                       .offending = node.operation,
                       .allowed = {"operators between DequantizeLinear and QuantizeLinear", "quantised operators"},
                       .fix = "quantise this layer too (no nodes_to_exclude), or end the model before it"});
  }
  return Done{};
}

Status set_outputs(Normalizing& normalizing) {
  for (ValueId output : normalizing.model.outputs) {
    const auto id = normalizing.ids[output.value];
    if (!id) {
      return diagnostic({.code = kFloatOperator,
                         .subject = normalizing.model.get(output).name,
                         .message = "the graph output is made by a float operator",
                         .offending = "f32",
                         .allowed = {"quantised tensors", "their DequantizeLinear"},
                         .fix = "quantise the last layer too"});
    }
    normalizing.graph.values[id->value].modifier = Modifier::kOutput;
    normalizing.graph.outputs.push_back(*id);
  }
  return Done{};
}

/// The quantisation of a stored graph input, as given by the first DequantizeLinear that reads it, wherever that was
/// sunk to. Precondition: the values of `original` keep their ids.
std::optional<srdfg::Quantization> stored_quantization(const Graph& original, ValueId input) {
  if (!is_narrow(original.get(input).dtype)) return std::nullopt;
  const auto reads = std::ranges::find_if(original.nodes, [&](const Node& node) {
    return node.operation == "DequantizeLinear" && node.inputs[0] == input;
  });
  if (reads == original.nodes.end()) return std::nullopt;
  auto quantization = per_tensor(original, *reads, original.get(input).dtype, quantization_inputs(original, *reads, 0));
  return quantization ? std::optional(std::move(*quantization)) : std::nullopt;
}

}  // namespace

Result<Graph> normalize(const Graph& original, const srdfg::DeclaredOperators& declared) {
  if (!is_quantized(original)) {
    return float_model(original.nodes.empty() ? original.name : subject_of(original.nodes.front()));
  }
  if (!has_quantized_activations(original)) return only_weights(original);
  const Graph model = sink_dequantize(original);
  const Uses uses{srdfg::producers(model), srdfg::consumers(model)};
  Normalizing normalizing{model, {}, std::vector<std::optional<ValueId>>(model.values.size())};
  normalizing.graph.name = model.name;
  for (const auto& ids : {model.inputs, model.outputs}) {
    for (ValueId id : ids) normalizing.interface.insert(model.get(id).name);
  }
  for (const std::string& name : normalizing.interface) normalizing.names.take(name);
  for (ValueId input : model.inputs) {
    Value value = model.get(input);
    value.quantization = stored_quantization(original, input);
    const ValueId id = normalizing.add(std::move(value));
    normalizing.ids[input.value] = id;
    normalizing.graph.inputs.push_back(id);
  }
  if (Status status = append_all(normalizing, uses, live_nodes(model, uses), declared); !status) return status.error();
  if (Status status = set_outputs(normalizing); !status) return status.error();
  const Status status = operators::verify_normalized(normalizing.graph, declared);
  check(static_cast<bool>(status), status ? "" : render(status.error()));
  return std::move(normalizing.graph);
}

}  // namespace covenant::compiler::frontend
