#include "compiler/operators/turned_products.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "compiler/operators/operator.h"
#include "compiler/srdfg/names.h"
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

/// The value with its last two dimensions exchanged.
Value turned(Value value) {
  std::swap(value.shape[1], value.shape[2]);
  value.name += "/turned";
  value.modifier = Modifier::kState;
  return value;
}

/// Builds the graph with the products turned, node by node.
class Turner {
 public:
  explicit Turner(Graph graph) : graph_(std::move(graph)) {
    nodes_.swap(graph_.nodes);
    for (const Value& value : graph_.values) names_.take(value.name);
    for (const Node& node : nodes_) names_.take(node.name);
  }

  Graph run(const std::vector<bool>& turns) {
    for (size_t i = 0; i < nodes_.size(); ++i) {
      if (turns[i]) turn(nodes_[i]);
      graph_.nodes.push_back(std::move(nodes_[i]));
      if (turns[i]) turn_back();
    }
    return std::move(graph_);
  }

 private:
  ValueId add(Value value) {
    value.name = names_.unique(value.name);
    graph_.values.push_back(std::move(value));
    return {static_cast<uint32_t>(graph_.values.size() - 1)};
  }

  void add_transpose(std::string name, ValueId from, ValueId to) {
    graph_.nodes.push_back({.name = std::move(name),
                            .operation = "transpose",
                            .attributes = {{"permutation", std::vector<int64_t>{0, 2, 1}}},
                            .inputs = {from},
                            .outputs = {to},
                            .body = {}});
  }

  ValueId turned_operand(ValueId id) {
    const Value value = graph_.get(id);
    std::string name = names_.unique(value.name + "/turn");  // taken before the name of the value
    const ValueId made = add(turned(value));
    add_transpose(std::move(name), id, made);
    return made;
  }

  /// Lets a product make the turned result of turned operands.
  void turn(Node& product) {
    const ValueId b = turned_operand(product.inputs[1]);
    const ValueId a = turned_operand(product.inputs[0]);
    result_ = product.outputs[0];
    product.inputs = {b, a};
    product.outputs = {add(turned(graph_.get(result_)))};
    product.body.clear();
  }

  /// Makes its result of what it makes now.
  void turn_back() {
    const ValueId made = graph_.nodes.back().outputs[0];
    add_transpose(names_.unique(graph_.get(result_).name + "/turn"), made, result_);
  }

  Graph graph_;
  std::vector<Node> nodes_;
  srdfg::Names names_;
  ValueId result_;  ///< of the product that is being turned
};

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
  return Turner(std::move(graph)).run(turns);
}

}  // namespace covenant::compiler::operators
