/// A graph in which templates replace nodes by finer ones.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "compiler/srdfg/graph.h"
#include "compiler/srdfg/names.h"

namespace covenant::compiler::srdfg {

struct Expansion {
  /// Takes the values of `source` but none of its nodes, which wait in `nodes`.
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

  /// Adds a node of `operation` and returns the value that it makes.
  ValueId add(const std::string& name, const char* operation, std::vector<ValueId> inputs, Value made,
              std::map<std::string, Attribute> attributes = {}) {
    std::string taken = names.unique(name);  // taken before the name of the value
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
