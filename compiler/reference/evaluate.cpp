#include "compiler/reference/evaluate.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "compiler/operators/operator.h"
#include "compiler/operators/verify.h"
#include "compiler/reference/chain.h"
#include "compiler/reference/layer_norm.h"
#include "compiler/reference/linear.h"
#include "compiler/reference/matmul.h"
#include "compiler/reference/movement.h"
#include "compiler/reference/pool.h"
#include "compiler/reference/requantize.h"
#include "compiler/reference/softmax.h"
#include "compiler/srdfg/bodies.h"
#include "compiler/srdfg/queries.h"

namespace covenant::compiler::reference {
namespace {

using srdfg::Graph;
using srdfg::Node;
using srdfg::Quantization;
using srdfg::Value;
using srdfg::ValueId;

bool is_real_pair(std::string_view operation) {
  return operation == "sub" || operation == "div" || operation == "max" || operation == "min";
}

bool is_pair(std::string_view operation) { return operation == "add" || operation == "mul" || is_real_pair(operation); }

Tensor add(const Graph& graph, const Node& node, const Tensor& a, const Tensor& b) {
  const Quantization& qa = graph.get(node.inputs[0]).quantization.value();
  const Quantization& qb = graph.get(node.inputs[1]).quantization.value();
  const Value& y = graph.get(node.outputs[0]);
  const float scale_a = qa.scales[0] / y.quantization.value().scales[0];
  const float scale_b = qb.scales[0] / y.quantization.value().scales[0];
  const Limits limits = limits_of(node, y);
  const float offset = add_offset(scale_a, qa.zero_points[0], scale_b, qb.zero_points[0], limits.zero_point);
  std::vector<int32_t> result = integers(a);
  const std::vector<int32_t> other = integers(b);
  for (size_t i = 0; i < result.size(); ++i) {
    result[i] = requantize_add(result[i], other[i], scale_a, scale_b, offset, limits);
  }
  return make_tensor(y.dtype, y.shape, result);
}

/// Multiplies. `b` is as large as `a`, or has one element per channel.
Tensor multiply(const Graph& graph, const Node& node, const Tensor& a, const Tensor& b) {
  const Quantization& qa = graph.get(node.inputs[0]).quantization.value();
  const Quantization& qb = graph.get(node.inputs[1]).quantization.value();
  const Value& y = graph.get(node.outputs[0]);
  const float scale = product_scale(qa.scales[0], qb.scales[0], y.quantization.value().scales[0]);
  Limits limits = limits_of(node, y);
  limits.shift = fixed_shift({&scale, 1});
  std::vector<int32_t> result = integers(a);
  const std::vector<int32_t> other = integers(b);
  const size_t repeats = result.size() / std::max<size_t>(1, other.size());
  for (size_t i = 0; i < result.size(); ++i) {
    const auto factor = static_cast<uint32_t>(result[i] - qa.zero_points[0]);
    const uint32_t product = factor * static_cast<uint32_t>(other[i / repeats] - qb.zero_points[0]);
    result[i] = requantize_product(static_cast<int32_t>(product), scale, limits);
  }
  return make_tensor(y.dtype, y.shape, result);
}

/// sub, div, max and min, and sums and products of mixed signedness: computed in f32.
Tensor real_pair(const Graph& graph, const Node& node, const Tensor& a, const Tensor& b) {
  const Value& y = graph.get(node.outputs[0]);
  const float scale = y.quantization.value().scales[0];
  const Limits limits = limits_of(node, y);
  const std::vector<float> first = dequantized(graph.get(node.inputs[0]), a);
  const std::vector<float> second = dequantized(graph.get(node.inputs[1]), b);
  const auto taken = [&](float x, float z) {
    if (node.operation == "add") return x + z;
    if (node.operation == "mul") return x * z;
    if (node.operation == "sub") return x - z;
    if (node.operation == "div") return x / z;
    return node.operation == "max" ? std::max(x, z) : std::min(x, z);
  };
  std::vector<int32_t> result;
  const size_t repeats = first.size() / std::max<size_t>(1, second.size());  // elements of `a` per element of `b`, if
                                                                             // that is one factor per channel
  for (size_t i = 0; i < first.size(); ++i)
    result.push_back(store(taken(first[i], second[i / repeats]) / scale, limits));
  return make_tensor(y.dtype, y.shape, result);
}

/// The operands of a sum or product, one of which may be a param.
std::vector<Tensor> pair_of(const Graph& graph, const Node& node, const std::vector<const Tensor*>& inputs) {
  std::vector<Tensor> operands;
  size_t next = 0;
  for (const ValueId id : node.inputs) {
    const Value& value = graph.get(id);
    const bool is_param = value.modifier == srdfg::Modifier::kParam;
    operands.push_back(is_param ? Tensor{value.dtype, value.shape, value.data} : *inputs.at(next++));
  }
  return operands;
}

Tensor look_up(const Graph& graph, const Node& node, const Tensor& x) {
  const std::vector<int64_t> table = srdfg::integer_elements(graph.get(node.inputs[1]));
  const Value& y = graph.get(node.outputs[0]);
  std::vector<int32_t> result = integers(x);
  for (int32_t& element : result) {
    element = static_cast<int32_t>(table.at(static_cast<uint32_t>(element) % table.size()));
  }
  return make_tensor(y.dtype, y.shape, result);
}

Tensor clip(const Graph& graph, const Node& node, const Tensor& x) {
  const Value& y = graph.get(node.outputs[0]);
  const Limits limits = limits_of(node, y);
  std::vector<int32_t> result = integers(x);
  for (int32_t& element : result) element = std::clamp(element, limits.lowest, limits.highest);
  return make_tensor(y.dtype, y.shape, result);
}

/// QuantizeLinear of the ONNX operator specification: saturate(rint(x / scale) + zero_point), half to even.
Tensor quantize(const Graph& graph, const Node& node, const Tensor& x) {
  const Value& y = graph.get(node.outputs[0]);
  const Limits limits{y.quantization.value().zero_points[0], static_cast<int32_t>(lowest(y.dtype)),
                      static_cast<int32_t>(highest(y.dtype))};
  std::vector<int32_t> result;
  for (float element : reals(x)) result.push_back(store(element / y.quantization.value().scales[0], limits));
  return make_tensor(y.dtype, y.shape, result);
}

Tensor dequantize(const Graph& graph, const Node& node, const Tensor& x) {
  return make_tensor(graph.get(node.outputs[0]).shape, dequantized(graph.get(node.inputs[0]), x));
}

Diagnostic unfit(const Value& value, std::string_view got) {
  return {.code = "ONX0020",
          .where = {},
          .subject = value.name,
          .message = "the tensor is not what the graph's input takes",
          .offending = std::string(got),
          .allowed = {fmt::format("{} [{}]", name(value.dtype), fmt::join(value.shape, ","))},
          .fix = "give one tensor per graph input, with its dtype and shape"};
}

Status check_inputs(const Graph& graph, const Tensors& inputs) {
  for (ValueId id : graph.inputs) {
    const Value& value = graph.get(id);
    const auto found = inputs.find(value.name);
    if (found == inputs.end()) return unfit(value, "nothing");
    const Tensor& tensor = found->second;
    const size_t size = srdfg::element_count(value.shape) * bytes(value.dtype);
    if (tensor.dtype != value.dtype || tensor.shape != value.shape || tensor.bytes.size() != size) {
      return unfit(value, fmt::format("{} [{}]", name(tensor.dtype), fmt::join(tensor.shape, ",")));
    }
  }
  for (const auto& [name, tensor] : inputs) {
    const bool known = std::ranges::any_of(graph.inputs, [&](ValueId id) { return graph.get(id).name == name; });
    if (!known) return unfit({.name = name}, "a tensor for an input that the graph does not have");
  }
  return Done{};
}

}  // namespace

Tensor evaluate_node(const Graph& graph, const Node& node, const std::vector<const Tensor*>& inputs) {
  const Tensor& x = *inputs.at(0);
  if (node.operation == "conv") return conv(graph, node, x);
  if (node.operation == "gemm") return gemm(graph, node, x);
  if (node.operation == "conv_sums") return conv_sums(graph, node, x);
  if (node.operation == "gemm_sums") return gemm_sums(graph, node, x);
  if (node.operation == "matmul") return matmul(graph, node, x, *inputs.at(1));
  if (node.operation == "to_signed") return to_signed(graph, node, x);
  if (node.operation == "row_sums") return row_sums(graph, node, x);
  if (node.operation == "column_sums") return column_sums(graph, node, x);
  if (node.operation == "matmul_stored") return matmul_stored(graph, node, inputs);
  if (node.operation == "layer_norm" || node.operation == "channel_norm") return layer_norm(graph, node, x);
  if (node.operation == "channel_sums") return channel_sums(graph, node, x);
  if (node.operation == "row_mean") return row_mean(graph, node, x);
  if (node.operation == "row_squares") return row_squares(graph, node, x, *inputs.at(1));
  if (node.operation == "row_variance") return row_variance(graph, node, x, *inputs.at(1));
  if (node.operation == "row_deviation") return row_deviation(graph, node, x);
  if (node.operation == "normalize_rows" || node.operation == "normalize_channels") {
    return normalize_rows(graph, node, inputs);
  }
  if (node.operation == "scale_columns" || node.operation == "scale_channels") return scale_columns(graph, node, x);
  if (is_pair(node.operation)) {
    const std::vector<Tensor> operands = pair_of(graph, node, inputs);
    const bool in_f32 = srdfg::differs_in_sign(graph, node) && !node.attributes.contains(kFixedPoint);
    if (in_f32 || is_real_pair(node.operation)) return real_pair(graph, node, operands[0], operands[1]);
    return node.operation == "add" ? add(graph, node, operands[0], operands[1])
                                   : multiply(graph, node, operands[0], operands[1]);
  }
  if (node.operation == "lookup") return look_up(graph, node, x);
  if (node.operation == "float_chain") return float_chain(graph, node, inputs);
  if (node.operation == "clip") return clip(graph, node, x);
  if (node.operation == "max_pool") return max_pool(graph, node, x);
  if (node.operation == "average_pool") return average_pool(graph, node, x);
  if (node.operation == "global_average_pool") return global_average_pool(graph, node, x);
  if (node.operation == "softmax") return softmax(graph, node, x);
  if (node.operation == "reduce_max") return reduce_max(graph, node, x);
  if (node.operation == "softmax_sum") return softmax_sum(graph, node, x, *inputs.at(1));
  if (node.operation == "softmax_quotient") return softmax_quotient(graph, node, x, *inputs.at(1), *inputs.at(2));
  if (node.operation == "quantize") return quantize(graph, node, x);
  if (node.operation == "dequantize") return dequantize(graph, node, x);
  check(is_movement(node.operation), "an operation without a reference operator");
  return move(graph, node, inputs);
}

namespace {

/// Results of a node from the tensors that it reads, without its params.
std::vector<Tensor> outputs_of(const Graph& graph, const Node& node, const std::vector<const Tensor*>& inputs,
                               Requantization how) {
  if (operators::find_operator(node.operation) == nullptr) return evaluate_body(graph, node, inputs, how);
  if (how == Requantization::kFloat) return {evaluate_node(graph, node, inputs)};
  return {evaluate_node(graph, in_fixed_point(node, how), inputs)};
}

/// The tensors, by value, that a node reads, its params aside.
std::vector<const Tensor*> operands_of(const Graph& graph, const Node& node, const std::vector<Tensor>& tensors) {
  std::vector<const Tensor*> operands;
  for (const ValueId id : node.inputs) {
    if (graph.get(id).modifier != srdfg::Modifier::kParam) operands.push_back(&tensors[id.value]);
  }
  return operands;
}

}  // namespace

std::vector<Tensor> evaluate_body(const Graph& graph, const Node& node, const std::vector<const Tensor*>& inputs,
                                  Requantization how) {
  const Graph body = srdfg::bound_body(graph, node);
  std::vector<Tensor> tensors(body.values.size());
  for (size_t i = 0; i < body.inputs.size(); ++i) tensors[body.inputs[i].value] = *inputs.at(i);
  for (const Node& inner : body.nodes) {
    std::vector<Tensor> made = outputs_of(body, inner, operands_of(body, inner, tensors), how);
    for (size_t i = 0; i < made.size(); ++i) tensors[inner.outputs[i].value] = std::move(made[i]);
  }
  std::vector<Tensor> outputs;
  for (const ValueId id : body.outputs) outputs.push_back(tensors[id.value]);
  return outputs;
}

namespace {

/// `is_alone`: each node is given the values that others make in single precision.
Result<Tensors> evaluate_nodes(const Graph& graph, const Tensors& inputs, Requantization how, bool is_alone) {
  if (Status status = operators::verify_normalized(graph); !status) return status.error();
  if (Status status = check_inputs(graph, inputs); !status) return status.error();
  std::vector<Tensor> tensors(graph.values.size());
  for (ValueId id : graph.inputs) tensors[id.value] = inputs.at(graph.get(id).name);
  Tensors made;
  for (const Node& node : graph.nodes) {
    const std::vector<const Tensor*> operands = operands_of(graph, node, tensors);
    const std::vector<Tensor> results = outputs_of(graph, node, operands, how);
    const std::vector<Tensor> given = is_alone ? outputs_of(graph, node, operands, Requantization::kFloat) : results;
    for (size_t i = 0; i < results.size(); ++i) {
      made[graph.get(node.outputs[i]).name] = results[i];
      tensors[node.outputs[i].value] = given[i];
    }
  }
  return made;
}

}  // namespace

Result<Tensors> evaluate_all(const Graph& graph, const Tensors& inputs, Requantization how) {
  return evaluate_nodes(graph, inputs, how, false);
}

Result<Tensors> evaluate_alone(const Graph& graph, const Tensors& inputs, Requantization how) {
  return evaluate_nodes(graph, inputs, how, true);
}

Result<Tensors> evaluate(const Graph& graph, const Tensors& inputs, Requantization how) {
  Result<Tensors> made = evaluate_all(graph, inputs, how);
  if (!made) return made;
  Tensors outputs;
  for (ValueId id : graph.outputs) outputs[graph.get(id).name] = made->at(graph.get(id).name);
  return outputs;
}

}  // namespace covenant::compiler::reference
