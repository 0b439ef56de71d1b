/// A graph as templates put finer nodes in the place of others.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "compiler/srdfg/graph.h"
#include "compiler/srdfg/names.h"

namespace covenant::compiler::srdfg {

struct Expansion {
  /// The values of `source`, and none of its nodes yet: they wait in `nodes`.
  explicit Expansion(Graph source) : graph(std::move(source)) {
    nodes.swap(graph.nodes);
    for (const Value& value : graph.values) names.take(value.name);
    for (const Node& node : nodes) names.take(node.name);
  }

  ValueId add(Value value) {
    value.name = names.unique(value.name);
    graph.values.push_back(std::move(value));
    return {static_cast<uint32_t>(graph.values.size() - 1)};
  }

  /// What `operation` makes of its inputs.
  ValueId add(const std::string& name, const char* operation, std::vector<ValueId> inputs, Value made,
              std::map<std::string, Attribute> attributes = {}) {
    std::string taken = names.unique(name);  // before that of the value
    const ValueId id = add(std::move(made));
    graph.nodes.push_back({.name = std::move(taken),
                           .operation = operation,
                           .attributes = std::move(attributes),
                           .inputs = std::move(inputs),
                           .outputs = {id},
                           .body = {}});
    return id;
  }

  Graph graph;
  std::vector<Node> nodes{};
  Names names{};
};

}  // namespace covenant::compiler::srdfg
