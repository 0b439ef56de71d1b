/// A graph in which templates replace nodes by finer ones.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "compiler/srdfg/graph.h"
#include "compiler/srdfg/names.h"

namespace covenant::compiler::operators {

struct Expansion {
  /// Takes the values of `source` but none of its nodes, which wait in `nodes`.
  explicit Expansion(srdfg::Graph source) : graph(std::move(source)) {
    nodes.swap(graph.nodes);
    for (const srdfg::Value& value : graph.values) names.take(value.name);
    for (const srdfg::Node& node : nodes) names.take(node.name);
  }

  srdfg::ValueId add(srdfg::Value value) {
    value.name = names.unique(value.name);
    graph.values.push_back(std::move(value));
    return {static_cast<uint32_t>(graph.values.size() - 1)};
  }

  /// Adds a node of `operation` and returns the value that it makes.
  srdfg::ValueId add(const std::string& name, const char* operation, std::vector<srdfg::ValueId> inputs,
                     srdfg::Value made, std::map<std::string, srdfg::Attribute> attributes = {}) {
    std::string taken = names.unique(name);  // taken before the name of the value
    const srdfg::ValueId id = add(std::move(made));
    graph.nodes.push_back({.name = std::move(taken),
                           .operation = operation,
                           .attributes = std::move(attributes),
                           .inputs = std::move(inputs),
                           .outputs = {id},
                           .body = {}});
    return id;
  }

  srdfg::Graph graph;
  std::vector<srdfg::Node> nodes{};
  srdfg::Names names{};
};

}  // namespace covenant::compiler::operators
