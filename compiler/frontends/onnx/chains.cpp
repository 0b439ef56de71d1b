#include "compiler/frontends/onnx/chains.h"

#include "compiler/frontends/onnx/quantization.h"
#include "compiler/frontends/onnx/refusal.h"
#include "compiler/srdfg/chain.h"
#include "compiler/srdfg/queries.h"

namespace covenant::compiler::frontend {
namespace {

using srdfg::Modifier;
using srdfg::Node;
using srdfg::Value;
using srdfg::ValueId;

constexpr size_t kOfInput = 3;   ///< a tensor, its scale and its zero point
constexpr size_t kOfOutput = 2;  ///< a scale and a zero point

size_t inputs_of(const Node& node) { return (node.inputs.size() - kOfOutput) / kOfInput; }

/// An input of the operation: a stored tensor, an f32 constant, or an f32 input of the model.
Result<ValueId> input_of(Normalizing& normalizing, const Node& node, size_t place) {
  const ValueId id = node.inputs[place * kOfInput];
  const Value& value = normalizing.model.get(id);
  if (value.modifier == Modifier::kParam) {
    if (value.dtype == DType::kF32) return normalizing.add(value);
    return malformed(node, "a constant operand of a chain is f32", value.name);
  }
  if (value.modifier == Modifier::kInput && value.dtype == DType::kF32) return normalizing.ids[id.value].value();
  auto quantization =
      per_tensor(normalizing.model, node, value.dtype, quantization_inputs(normalizing.model, node, place * kOfInput));
  if (!quantization) return quantization.error();
  return connect(normalizing, node, {id, *quantization});
}

Status add_steps(const Node& node, Node& made) {
  const auto found = node.attributes.find("steps");
  const auto* text = found == node.attributes.end() ? nullptr : std::get_if<std::string>(&found->second);
  if (text != nullptr && srdfg::chain_steps(*text, made.inputs.size())) {
    made.attributes["steps"] = *text;
    return Done{};
  }
  return diagnostic({.code = kAttribute,
                     .subject = subject_of(node),
                     .message = "the steps are missing, or no chain of operations on its inputs",
                     .offending = text == nullptr ? "none" : *text,
                     .allowed = {"load 0; mul %0 0x1p-1; ..."},
                     .fix = "write what compiler/srdfg/chain.h says of them"});
}

}  // namespace

bool is_chain(std::string_view operation) { return operation == "covenant.FloatChain"; }

Result<TensorType> type_of_chain(const srdfg::Graph& model, const Node& node) {
  if (node.inputs.size() < kOfInput + kOfOutput || (node.inputs.size() - kOfOutput) % kOfInput != 0) {
    return malformed(node, "a chain has three inputs for each tensor, and two for its result",
                     std::to_string(node.inputs.size()));
  }
  const std::vector<uint64_t>& shape = model.get(node.inputs[0]).shape;
  for (size_t place = 1; place < inputs_of(node); ++place) {
    const std::vector<uint64_t>& other = model.get(node.inputs[place * kOfInput]).shape;
    if (other != shape) return malformed(node, "the operands of a chain differ in shape", shape_text(other));
  }
  return TensorType{model.get(node.inputs.back()).dtype, shape};
}

Status append_chain(Normalizing& normalizing, const Node& node) {
  const Value& output = normalizing.model.get(node.outputs[0]);
  Node made{.name = {}, .operation = "float_chain", .body = {}};
  for (size_t place = 0; place < inputs_of(node); ++place) {
    const Result<ValueId> input = input_of(normalizing, node, place);
    if (!input) return input.error();
    made.inputs.push_back(*input);
  }
  if (normalizing.graph.get(made.inputs[0]).dtype == DType::kF32) {
    return malformed(node, "the first operand of a chain is no stored tensor",
                     normalizing.graph.get(made.inputs[0]).name);
  }
  if (Status status = add_steps(node, made); !status) return status;
  const size_t scale = node.inputs.size() - kOfOutput;
  auto quantization =
      per_tensor(normalizing.model, node, output.dtype, {node.outputs[0], node.inputs[scale], node.inputs[scale + 1]});
  if (!quantization) return quantization.error();
  made.attributes["lowest"] = lowest(output.dtype);
  made.attributes["highest"] = highest(output.dtype);
  made.outputs = {normalizing.add({.name = output.name,
                                   .dtype = output.dtype,
                                   .shape = output.shape,
                                   .modifier = Modifier::kState,
                                   .quantization = *quantization})};
  made.name = normalizing.names.unique(node.name);
  normalizing.ids[node.outputs[0].value] = made.outputs[0];
  normalizing.graph.nodes.push_back(std::move(made));
  return Done{};
}

}  // namespace covenant::compiler::frontend
