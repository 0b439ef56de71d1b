#include "compiler/frontends/onnx/fused.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "compiler/frontends/onnx/attributes.h"
#include "compiler/frontends/onnx/constants.h"
#include "compiler/frontends/onnx/disputed.h"
#include "compiler/frontends/onnx/movement.h"
#include "compiler/frontends/onnx/pairs.h"
#include "compiler/frontends/onnx/parameters.h"
#include "compiler/frontends/onnx/products.h"
#include "compiler/frontends/onnx/reach.h"
#include "compiler/frontends/onnx/refusal.h"
#include "compiler/frontends/onnx/window.h"
#include "compiler/operators/operator.h"
#include "compiler/operators/operators.h"
#include "compiler/srdfg/queries.h"

namespace covenant::compiler::frontend {
namespace {

using Shape = std::vector<uint64_t>;
using srdfg::Modifier;
using srdfg::Node;
using srdfg::Quantization;
using srdfg::Value;
using srdfg::ValueId;

/// The quantisation of a whole tensor, as text.
std::string quantization_text(const Quantization& quantization) {
  return fmt::format("scale {}, zero point {}", quantization.scales[0], quantization.zero_points[0]);
}

double real_or(const Node& node, const char* key, double otherwise) {
  const auto found = node.attributes.find(key);
  if (found == node.attributes.end()) return otherwise;
  const auto* number = std::get_if<double>(&found->second);
  return number == nullptr ? std::nan("") : *number;
}

Status check_product(const Node& node, bool has_bias) {
  const auto refuse = [&](const char* key, const std::string& got, const char* allowed) {
    return diagnostic({.code = kAttribute,
                       .subject = subject_of(node),
                       .message = fmt::format("{} is supported with {} only", key, allowed),
                       .offending = got,
                       .allowed = {allowed},
                       .fix = fmt::format("fold {} into the weights, the scale or the bias before quantising", key)});
  };
  if (integer_or(node, "transA", 0) != 0) return refuse("transA", "1", "0");
  if (real_or(node, "alpha", 1.0) != 1.0) return refuse("alpha", fmt::format("{}", real_or(node, "alpha", 1.0)), "1");
  if (has_bias && real_or(node, "beta", 1.0) != 1.0) {
    return refuse("beta", fmt::format("{}", real_or(node, "beta", 1.0)), "1");
  }
  return Done{};
}

/// The scale of the result must be a number: tiny output scales overflow. Tables are made of each scale by itself.
Status check_rescaling(const Node& node, std::string_view operation, const Quantization& x, const Quantization* w,
                       const Quantization& y) {
  if (operation == "lookup" || operation == "softmax") return Done{};
  for (const float scale : w == nullptr ? std::vector{1.0F} : w->scales) {
    if (std::isfinite(x.scales[0] * scale / y.scales[0])) continue;
    return diagnostic({.code = kQuantization,
                       .subject = subject_of(node),
                       .message = "the scales of input, weights and output give no finite factor",
                       .offending = fmt::format("{} * {} / {}", x.scales[0], scale, y.scales[0]),
                       .allowed = {"a finite f32"},
                       .fix = "calibrate with real data: the output's range is (nearly) empty"});
  }
  return Done{};
}

std::vector<int64_t> list(const auto& entries) { return {entries.begin(), entries.end()}; }

/// The shape that compiler/operators/operators.h gives to the activation of a layer: one row is an image, the rows of a
/// product are one dimension.
Shape normalized_shape(const Node& core, const std::string& operation, const Shape& shape) {
  if (operation == "conv" || operation.ends_with("_pool")) return as_image(shape);
  if (operation == "softmax" && shape.size() == 1) return {1, shape[0]};
  if (operation == "layer_norm") {
    const auto axis = integer_or(core, "axis", -1);
    const auto split = shape.begin() + (axis < 0 ? axis + static_cast<int64_t>(shape.size()) : axis);
    return {1, srdfg::element_count({shape.begin(), split}), srdfg::element_count({split, shape.end()})};
  }
  if (operation != "gemm" || shape.empty()) return shape;
  return {srdfg::element_count({shape.begin(), shape.end() - 1}), shape.back()};
}

/// Checks that padding has the value of the tensor's zero point.
Status check_pad(const Normalizing& normalizing, const Node& core, const Node& node) {
  const Value& stored = normalizing.graph.get(node.inputs[0]);
  const int64_t zero_point = stored.quantization.value().zero_points[0];
  const bool is_stated = core.inputs.size() > 2 && !normalizing.model.get(core.inputs[2]).name.empty();
  const Value* value = is_stated ? &normalizing.model.get(core.inputs[2]) : nullptr;
  const bool is_constant = value == nullptr || (value->modifier == Modifier::kParam && value->dtype == stored.dtype &&
                                                srdfg::element_count(value->shape) == 1);
  const int64_t around = value != nullptr && is_constant ? srdfg::integer_elements(*value)[0] : 0;
  if (is_constant && around == zero_point) return Done{};
  return diagnostic({.code = kAttribute,
                     .subject = subject_of(core),
                     .message = "the value around the tensor is not its zero point",
                     .offending = is_constant ? fmt::format("{}", around) : "no constant of the tensor's dtype",
                     .allowed = {fmt::format("{}", zero_point)},
                     .fix = "pad with 0.0 in the float model, before it is quantised"});
}

Status add_attributes(const Normalizing& normalizing, const Layer& layer, Node& node) {
  const Node& core = normalizing.model.nodes[layer.core];
  const std::vector<uint64_t>& given = normalizing.model.get(layer.activations[0].value).shape;
  if (layer.operation == "conv" || layer.operation == "max_pool" || layer.operation == "average_pool") {
    std::vector<uint64_t> kernel;
    if (layer.operation == "conv") {
      const std::vector<uint64_t>& weights = normalizing.model.get(layer.weight.value().value).shape;
      kernel = {weights.begin() + 2, weights.end()};
    }
    const Result<Window> window = window_of(core, given, kernel);
    if (!window) return window.error();
    if (layer.operation != "conv") node.attributes["kernel"] = list(window->kernel);
    const bool counts_pads = integer_or(core, "count_include_pad", 0) != 0;
    if (Status status = check_average(core, *window, counts_pads); !status) return status;
    if (layer.operation == "average_pool" && counts_pads) node.attributes["count_pads"] = int64_t{1};
    node.attributes["strides"] = list(window->strides);
    node.attributes["pads"] = list(window->pads);
    if (list(window->dilations) != std::vector<int64_t>{1, 1}) node.attributes["dilations"] = list(window->dilations);
    if (const int64_t groups = integer_or(core, "group", 1); layer.operation == "conv" && groups != 1) {
      node.attributes["group"] = groups;
    }
  }
  if (layer.operation == "softmax") {
    node.attributes["axis"] = given.size() == 1 ? int64_t{1} : integer_or(core, "axis", -1);
    const Value& x = normalizing.graph.get(node.inputs[0]);
    if (Status status = check_softmax(core, x, layer.output_quantization.value()); !status) return status;
  }
  if (layer.operation == "layer_norm")
    node.attributes["epsilon"] = double{static_cast<float>(real_or(core, "epsilon", 1e-5))};
  if (layer.operation == "gemm") return check_product(core, layer.bias.has_value());
  if (operators::is_movement(layer.operation)) set_movement_attributes(normalizing.model, core, node);
  if (layer.operation == "pad") return check_pad(normalizing, core, node);
  return Done{};
}

Status add_table(Normalizing& normalizing, const Node& core, ValueId id, DType dtype, Node& node) {
  const Value& table = normalizing.model.get(id);
  const DType read = normalizing.graph.get(node.inputs[0]).dtype;
  if (bits(read) > 8) {
    return diagnostic({.code = kDtype,
                       .subject = subject_of(core),
                       .message = "a table has an element for every byte, and there are more values than that",
                       .offending = std::string(name(read)),
                       .allowed = {"i4", "u4", "i8", "u8"},
                       .fix = "quantise this layer to 8 bits, or write the function as sums, products and limits"});
  }
  const uint64_t entries = uint64_t{1} << bits(read);
  if (table.modifier != Modifier::kParam || table.dtype != dtype || table.shape != std::vector<uint64_t>{entries}) {
    return diagnostic(
        {.code = kAttribute,
         .subject = subject_of(core),
         .message = "the table is no constant with an element for every byte",
         .offending = fmt::format("{} {}", name(table.dtype), shape_text(table.shape)),
         .allowed = {fmt::format("an initialiser {} [{}]", name(dtype), entries)},
         .fix = fmt::format("give the result for the values 0 to {} of the input, read without a sign", entries - 1)});
  }
  node.inputs.push_back(normalizing.add(table));
  return Done{};
}

/// The activations that a node reads, in the form of compiler/operators/operators.h.
Result<std::vector<ValueId>> operands_of(Normalizing& normalizing, const Node& core, const Layer& layer) {
  if (layer.operation == "matmul") return product_operands(normalizing, core, layer);
  const bool is_pair = operators::is_pair(layer.operation);
  std::vector<ValueId> operands;
  for (const Operand& operand : layer.activations) {
    const bool is_second_constant = !operands.empty() &&
                                    normalizing.graph.get(operands[0]).modifier == Modifier::kParam &&
                                    normalizing.model.get(operand.value).modifier == Modifier::kParam;
    Result<ValueId> id = is_pair && !is_second_constant ? pair_operand(normalizing, core, layer, operand)
                                                        : connect(normalizing, core, operand);
    if (!id) return id.error();
    operands.push_back(*id);
  }
  Value lifted = normalizing.graph.get(operands[0]);
  const Shape shape = normalized_shape(core, layer.operation, lifted.shape);
  if (shape == lifted.shape) return operands;
  lifted.shape = shape;
  lifted.modifier = Modifier::kState;
  lifted.name += "/image";
  operands[0] = normalizing.add_movement(core.name + "/operand", "reshape", operands[0], std::move(lifted));
  return operands;
}

/// Operators of ONNX Runtime on stored tensors, and those of users, have one type by their definition.
Status check_signs(const Normalizing& normalizing, const Node& core, const Layer& layer, const Node& node) {
  const bool is_known = operators::find_operator(layer.operation) != nullptr;
  if (is_known && !core.operation.starts_with("com.microsoft.QLinear")) return Done{};
  const DType made = normalizing.model.get(layer.output).dtype;
  for (const ValueId input : node.inputs) {
    const DType read = normalizing.graph.get(input).dtype;
    if (info(made).is_signed == info(read).is_signed) continue;
    return diagnostic({.code = kDtype,
                       .subject = subject_of(core),
                       .message = "its definition gives its operands and its result one type",
                       .offending = fmt::format("{} to {}", name(read), name(made)),
                       .allowed = {"all with a sign", "all without one"},
                       .fix = "quantise them alike, or write the layer in QDQ style"});
  }
  return Done{};
}

void add_limits(const Layer& layer, DType dtype, Node& node) {
  if (const auto* row = operators::find_operator(layer.operation); row != nullptr && !row->clamps) return;
  node.attributes["lowest"] = layer.lowest.value_or(lowest(dtype));
  node.attributes["highest"] = layer.highest.value_or(highest(dtype));
}

}  // namespace

ValueId Normalizing::add(Value value) {
  // Names of a model's values are unique: only generated names, and those of nodes, can collide.
  if (value.modifier == Modifier::kParam || !interface.contains(value.name)) value.name = names.unique(value.name);
  graph.values.push_back(std::move(value));
  return {static_cast<uint32_t>(graph.values.size() - 1)};
}

ValueId Normalizing::add_movement(const std::string& name, const char* operation, ValueId id, Value made,
                                  std::map<std::string, srdfg::Attribute> attributes) {
  Node node{.name = names.unique(name),
            .operation = operation,
            .attributes = std::move(attributes),
            .inputs = {id},
            .body = {}};
  const ValueId moved = add(std::move(made));
  node.outputs = {moved};
  graph.nodes.push_back(std::move(node));
  return moved;
}

Result<ValueId> connect(Normalizing& normalizing, const Node& node, const Operand& operand) {
  const auto id = normalizing.ids[operand.value.value];
  const Value& stored = normalizing.model.get(operand.value);
  if (!id || !is_narrow(stored.dtype)) {
    return diagnostic(
        {.code = kFloatOperator,
         .subject = subject_of(node),
         .message = fmt::format("the operand {} is no quantised activation", stored.name),
         .offending = stored.modifier == Modifier::kParam ? "a constant" : std::string(name(stored.dtype)),
         .allowed = {"quantised tensors made by quantised layers or by a quantised graph input"},
         .fix = "quantise the layer before it too; constant operands can be folded into a bias"});
  }
  Value& value = normalizing.graph.values[id->value];
  if (operand.quantization && !value.quantization) value.quantization = operand.quantization;
  if (!value.quantization) {
    return diagnostic(
        {.code = kQuantization,
         .subject = subject_of(node),
         .message = fmt::format("the scale and zero point of {} are not known here", stored.name),
         .offending = "none",
         .allowed = {"a scale and a zero point"},
         .fix = "begin the model with QuantizeLinear, or with a layer that names the scale of its input"});
  }
  if (operand.quantization && *value.quantization != *operand.quantization) {
    return diagnostic({.code = kQuantization,
                       .subject = subject_of(node),
                       .message = fmt::format(
                           "the layer reads {} with another scale or zero point than it was made with", stored.name),
                       .offending = quantization_text(*operand.quantization),
                       .allowed = {quantization_text(*value.quantization)},
                       .fix = "use one scale and zero point per tensor, as ONNX Runtime's quantiser writes them"});
  }
  return *id;
}

Status append(Normalizing& normalizing, Layer layer) {
  const Node& core = normalizing.model.nodes[layer.core];
  Node node{.name = {}, .operation = layer.operation, .body = {}};
  put_in_order(normalizing.model, layer);
  Result<std::vector<ValueId>> operands = operands_of(normalizing, core, layer);
  if (!operands) return operands.error();
  node.inputs = std::move(*operands);
  const Quantization x = normalizing.graph.get(node.inputs[0]).quantization.value();
  const Quantization y = layer.output_quantization.value_or(x);
  const Value& stored = normalizing.model.get(layer.output);
  if (Status status = check_signs(normalizing, core, layer, node); !status) return status;
  if (layer.table) {
    if (Status status = add_table(normalizing, core, *layer.table, stored.dtype, node); !status) return status;
  }
  Repeats repeats;
  if (layer.weight) {
    const Result<Repeats> added = add_parameters(normalizing, layer, node);
    if (!added) return added.error();
    repeats = *added;
  }
  if (Status status = add_reals(normalizing, core, layer, node); !status) return status;
  std::optional<Quantization> w;
  if (layer.weight) w = layer.weight->quantization;
  if (layer.operation == "mul" || layer.operation == "matmul") w = normalizing.graph.get(node.inputs[1]).quantization;
  if (Status status = check_rescaling(core, layer.operation, x, w ? &*w : nullptr, y); !status) return status;
  settle_reach(normalizing, core, node);
  if (Status status = add_attributes(normalizing, layer, node); !status) return status;
  if (layer.operation == "conv") repeat_window(repeats, node);
  add_limits(layer, stored.dtype, node);
  const Value output{.name = stored.name,
                     .dtype = stored.dtype,
                     .shape = stored.shape,
                     .modifier = Modifier::kState,
                     .quantization = y};
  Value made = output;
  made.shape = normalized_shape(core, layer.operation, stored.shape);
  if (layer.operation == "matmul") {
    const auto shape = [&](size_t i) { return normalizing.model.get(layer.activations[i].value).shape; };
    made.shape = product_shape(shape(0), shape(1));
  }
  const bool is_lifted = made.shape != stored.shape;
  if (is_lifted) made.name += "/image";
  const ValueId id = normalizing.add(std::move(made));
  node.name = normalizing.names.unique(core.name);  // after the output, which keeps its name where it can
  normalizing.ids[layer.output.value] = id;
  node.outputs = {id};
  const std::string name = node.name;
  normalizing.graph.nodes.push_back(std::move(node));
  if (is_lifted) {
    normalizing.ids[layer.output.value] = normalizing.add_movement(name + "/shape", "reshape", id, output);
  }
  return Done{};
}

}  // namespace covenant::compiler::frontend
