#include "compiler/frontends/onnx/reach.h"

#include <algorithm>
#include <cstring>

#include "compiler/operators/operator.h"
#include "compiler/srdfg/queries.h"

namespace covenant::compiler::frontend {
namespace {

using srdfg::Graph;
using srdfg::Node;
using srdfg::Value;
using srdfg::ValueId;

constexpr int64_t kMost = (int64_t{1} << 31) - 1;

struct Range {
  int64_t least;
  int64_t most;
};

int64_t integer_of(const Node& node, const char* key, int64_t otherwise) {
  const auto found = node.attributes.find(key);
  const auto* number = found == node.attributes.end() ? nullptr : std::get_if<int64_t>(&found->second);
  return number == nullptr ? otherwise : *number;
}

/// The range of a tensor's elements: known for constants, within its limits for a layer's result, unchanged by
/// movements.
Range range_of(const Graph& graph, ValueId id) {
  const Value& value = graph.get(id);
  if (value.modifier == srdfg::Modifier::kParam) {
    const std::vector<int64_t> elements = srdfg::integer_elements(value);
    const auto [least, most] = std::ranges::minmax(elements);
    return {least, most};
  }
  const auto made = [&](const Node& node) { return std::ranges::find(node.outputs, id) != node.outputs.end(); };
  const auto node = std::find_if(graph.nodes.rbegin(), graph.nodes.rend(), made);
  if (node == graph.nodes.rend()) return {lowest(value.dtype), highest(value.dtype)};
  const bool is_moved =
      operators::is_movement(node->operation) && node->operation != "concat" && node->operation != "pad";
  if (is_moved || node->operation == "max_pool") return range_of(graph, node->inputs[0]);
  return {integer_of(*node, "lowest", lowest(value.dtype)), integer_of(*node, "highest", highest(value.dtype))};
}

/// The largest distance of an element from the zero point.
int64_t reach(const Graph& graph, ValueId id) {
  const Range range = range_of(graph, id);
  const int64_t zero_point = graph.get(id).quantization.value().zero_points[0];
  return std::max(std::abs(range.least - zero_point), std::abs(range.most - zero_point));
}

/// A constant in f32, of all elements of `shape`: one a channel is repeated.
Value real_constant(const Value& stored, const std::vector<uint64_t>& shape) {
  const srdfg::Quantization& quantization = stored.quantization.value();
  std::vector<float> reals;
  for (const int64_t element : srdfg::integer_elements(stored)) {
    reals.push_back(static_cast<float>(element - quantization.zero_points[0]) * quantization.scales[0]);
  }
  std::vector<uint8_t> bytes(reals.size() * sizeof(float));
  std::memcpy(bytes.data(), reals.data(), bytes.size());
  std::vector<uint64_t> strides = srdfg::row_major_strides(stored.shape);
  for (size_t d = 0; d < shape.size(); ++d) strides[d] = stored.shape[d] == shape[d] ? strides[d] : 0;
  return {.name = stored.name + "/real",
          .dtype = DType::kF32,
          .shape = shape,
          .modifier = srdfg::Modifier::kParam,
          .data = srdfg::gathered(bytes, shape, strides, sizeof(float))};
}

/// An operand of a chain on tensors of `shape`: a factor a channel is repeated.
ValueId chain_operand(Normalizing& normalizing, const Node& core, ValueId id, const std::vector<uint64_t>& shape) {
  Value value = normalizing.graph.get(id);
  if (value.modifier == srdfg::Modifier::kParam) return normalizing.add(real_constant(value, shape));
  if (value.shape == shape) return id;
  std::vector<int64_t> factors;
  for (size_t d = 0; d < shape.size(); ++d) factors.push_back(static_cast<int64_t>(shape[d] / value.shape[d]));
  value.shape = shape;
  value.modifier = srdfg::Modifier::kState;
  value.name += "/repeated";
  return normalizing.add_movement(core.name + "/repeated", "repeat", id, std::move(value), {{"factors", factors}});
}

}  // namespace

void settle_reach(Normalizing& normalizing, const Node& core, Node& node) {
  if (node.operation != "mul") return;
  const Graph& graph = normalizing.graph;
  if (reach(graph, node.inputs[0]) * reach(graph, node.inputs[1]) <= kMost) return;
  const std::vector<uint64_t> shape = graph.get(node.inputs[0]).shape;
  node.operation = "float_chain";
  for (ValueId& id : node.inputs) id = chain_operand(normalizing, core, id, shape);
  node.attributes["steps"] = "load 0; load 1; mul %0 %1";
}

}  // namespace covenant::compiler::frontend
