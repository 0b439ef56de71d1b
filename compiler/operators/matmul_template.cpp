#include "compiler/operators/matmul_template.h"

#include <algorithm>
#include <optional>

#include "compiler/operators/operator.h"
#include "compiler/srdfg/queries.h"

namespace covenant::compiler::operators {
namespace {

using srdfg::Attribute;
using srdfg::Graph;
using srdfg::integer_attribute;
using srdfg::Modifier;
using srdfg::Node;
using srdfg::Value;
using srdfg::ValueId;

bool is_softmax_along_last(const Graph& graph, const Node& node) {
  return node.operation == "softmax" &&
         static_cast<size_t>(integer_attribute(node, "axis")) + 1 == graph.get(node.inputs[0]).shape.size();
}

/// True if the last dimensions of the node's operand and result are the same.
bool keeps_last(const Graph& graph, const Node& node) {
  if (is_pair(node.operation) || node.operation == "lookup" || node.operation == "clip") return true;
  if (node.operation != "reshape") return false;
  const std::vector<uint64_t>& from = graph.get(node.inputs[0]).shape;
  const std::vector<uint64_t>& to = graph.get(node.outputs[0]).shape;
  return !from.empty() && !to.empty() && from.back() == to.back();
}

/// Producers and consumers of the values of one graph.
class Neighbours {
 public:
  explicit Neighbours(const Graph& graph)
      : graph_(graph), producers_(srdfg::producers(graph)), consumers_(srdfg::consumers(graph)) {}

  bool is_before_softmax(ValueId id) const {
    return std::ranges::any_of(consumers_[id.value], [&](size_t reader) {
      const Node& node = graph_.nodes[reader];
      return is_softmax_along_last(graph_, node) || (keeps_last(graph_, node) && is_before_softmax(node.outputs.at(0)));
    });
  }

  bool is_after_softmax(ValueId id) const {
    const std::optional<size_t> producer = producers_[id.value];
    if (!producer) return false;
    const Node& node = graph_.nodes[*producer];
    return is_softmax_along_last(graph_, node) || (keeps_last(graph_, node) && is_after_softmax(node.inputs.at(0)));
  }

 private:
  const Graph& graph_;
  std::vector<std::optional<size_t>> producers_;
  std::vector<std::vector<size_t>> consumers_;
};

const std::map<std::string, Attribute> kTurn{{"permutation", std::vector<int64_t>{0, 2, 1}}};

/// The value with its last two dimensions exchanged.
Value turned(Value value) {
  std::swap(value.shape[1], value.shape[2]);
  value.name += "/turned";
  value.modifier = Modifier::kState;
  return value;
}

void turn_product(Expansion& expansion, Node node) {
  const auto operand = [&](size_t i) {
    const Value& value = expansion.graph.get(node.inputs[i]);
    return expansion.add(value.name + "/turn", "transpose", {node.inputs[i]}, turned(value), kTurn);
  };
  const ValueId b = operand(1);
  const ValueId a = operand(0);
  const ValueId made = expansion.add(turned(expansion.graph.get(node.outputs[0])));
  const ValueId y = node.outputs[0];
  node.inputs = {b, a};
  node.outputs = {made};
  node.body.clear();
  expansion.graph.nodes.push_back(std::move(node));
  expansion.graph.nodes.push_back({.name = expansion.names.unique(expansion.graph.get(y).name + "/turn"),
                                   .operation = "transpose",
                                   .attributes = kTurn,
                                   .inputs = {made},
                                   .outputs = {y},
                                   .body = {}});
}

int32_t zero_point(const Expansion& expansion, ValueId id) {
  return expansion.graph.get(id).quantization.value().zero_points[0];
}

ValueId signed_operand(Expansion& expansion, ValueId id) {
  Value value = expansion.graph.get(id);
  if (info(value.dtype).is_signed) return id;
  const std::string name = value.name + "/signed";
  value.name = name;
  value.dtype = with_sign(value.dtype);
  value.modifier = Modifier::kState;
  value.quantization->zero_points[0] += static_cast<int32_t>(lowest(value.dtype));
  return expansion.add(name, "to_signed", {id}, std::move(value));
}

Value sums(const std::string& name, std::vector<uint64_t> shape) {
  return {.name = name, .dtype = DType::kI32, .shape = std::move(shape)};
}

}  // namespace

std::vector<bool> turned_products(const Graph& graph) {
  const Neighbours neighbours(graph);
  std::vector<bool> turns;
  for (const Node& node : graph.nodes) {
    turns.push_back(node.operation == "matmul" &&
                    (neighbours.is_before_softmax(node.outputs[0]) || neighbours.is_after_softmax(node.inputs[0])));
  }
  return turns;
}

Graph with_turned_products(Graph graph) {
  const std::vector<bool> turns = turned_products(graph);
  Expansion expansion(std::move(graph));
  for (size_t i = 0; i < turns.size(); ++i) {
    Node& node = expansion.nodes[i];
    if (turns[i]) {
      turn_product(expansion, std::move(node));
    } else {
      expansion.graph.nodes.push_back(std::move(node));
    }
  }
  return std::move(expansion.graph);
}

void expand_matmul(Expansion& expansion, Node node) {
  const ValueId a = node.inputs[0];
  const ValueId b = signed_operand(expansion, node.inputs[1]);
  const std::vector<uint64_t> y = expansion.graph.get(node.outputs[0]).shape;
  Value columns = sums(node.name + "/columns", {y[0], 1, y[2]});
  ValueId column_sums;
  if (const int64_t factor = -int64_t{zero_point(expansion, a)}; factor != 0) {
    const std::string name = columns.name;
    column_sums = expansion.add(name, "column_sums", {b}, std::move(columns), {{"factor", factor}});
  } else {
    columns.modifier = Modifier::kParam;
    columns.data.resize(y[0] * y[2] * sizeof(int32_t));
    column_sums = expansion.add(std::move(columns));
  }
  node.inputs = {a, b, column_sums};
  if (const int64_t factor = zero_point(expansion, b); factor != 0) {
    Value rows = sums(node.name + "/rows", {y[0], y[1], 1});
    const std::string name = rows.name;
    node.inputs.push_back(expansion.add(name, "row_sums", {a}, std::move(rows), {{"factor", factor}}));
  }
  node.operation = "matmul_stored";
  node.body.clear();
  expansion.graph.nodes.push_back(std::move(node));
}

}  // namespace covenant::compiler::operators
