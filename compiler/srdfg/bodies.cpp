#include "compiler/srdfg/bodies.h"

#include <optional>
#include <utility>
#include <vector>

#include "acg/base/check.h"
#include "compiler/srdfg/names.h"
#include "compiler/srdfg/queries.h"

namespace covenant::compiler::srdfg {
namespace {

class Inliner {
 public:
  Inliner(Graph graph, const std::function<bool(const Node&)>& is_whole)
      : graph_(std::move(graph)), is_whole_(is_whole) {
    for (const Value& value : graph_.values) names_.take(value.name);
    for (const Node& node : graph_.nodes) names_.take(node.name);
  }

  Graph run() {
    std::vector<Node> nodes;
    nodes.swap(graph_.nodes);
    for (Node& node : nodes) add(std::move(node));
    return std::move(graph_);
  }

 private:
  /// Adds a node, whose values are those of the graph: itself, or the nodes of its body.
  void add(Node node) {
    if (node.body.empty() || is_whole_(node)) {
      graph_.nodes.push_back(std::move(node));
      return;
    }
    Graph body = std::move(node.body.front());
    const std::vector<ValueId> outside = values_of(body, node);
    for (Node& inner : body.nodes) {
      for (ValueId& id : inner.inputs) id = outside[id.value];
      for (ValueId& id : inner.outputs) id = outside[id.value];
      add(std::move(inner));
    }
  }

  /// The values of the graph that those of a body are, which become part of it unless they are ports; and new names of
  /// the body's nodes.
  std::vector<ValueId> values_of(Graph& body, const Node& node) {
    std::vector<std::optional<ValueId>> outside(body.values.size());
    for (size_t i = 0; i < node.inputs.size(); ++i) outside[body.inputs[i].value] = node.inputs[i];
    for (size_t i = 0; i < node.outputs.size(); ++i) outside[body.outputs[i].value] = node.outputs[i];
    const std::vector<std::optional<size_t>> makers = producers(body);
    std::vector<bool> is_named(body.nodes.size());
    if (!node.outputs.empty()) {
      const size_t first = makers[body.outputs[0].value].value();
      body.nodes[first].name = node.name;
      is_named[first] = true;
    }
    for (size_t id = 0; id < body.values.size(); ++id) {
      if (makers[id] && !is_named[*makers[id]]) {
        Node& maker = body.nodes[*makers[id]];
        maker.name = names_.unique(maker.name);  // taken before the names of what it makes
        is_named[*makers[id]] = true;
      }
      if (outside[id]) continue;
      Value& value = body.values[id];
      value.name = names_.unique(value.name);
      outside[id] = ValueId{static_cast<uint32_t>(graph_.values.size())};
      graph_.values.push_back(std::move(value));
    }
    std::vector<ValueId> result;
    for (const std::optional<ValueId>& id : outside) result.push_back(id.value());
    return result;
  }

  Graph graph_;
  const std::function<bool(const Node&)>& is_whole_;
  Names names_;
};

}  // namespace

Graph bound_body(const Graph& graph, const Node& node) {
  check(node.body.size() == 1, "a node with a body");
  Graph body = node.body.front();
  std::vector<ValueId> inputs;
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    const Value& outside = graph.get(node.inputs[i]);
    Value& port = body.values[body.inputs[i].value];
    port.modifier = outside.modifier == Modifier::kParam ? Modifier::kParam : Modifier::kInput;
    port.data = outside.data;
    if (port.modifier == Modifier::kInput) inputs.push_back(body.inputs[i]);
  }
  body.inputs = std::move(inputs);
  return body;
}

Graph inline_bodies(Graph graph, const std::function<bool(const Node&)>& is_whole) {
  return Inliner(std::move(graph), is_whole).run();
}

}  // namespace covenant::compiler::srdfg
