/// Builds the finer graph that a template makes of a node.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "compiler/srdfg/graph.h"

namespace covenant::compiler::operators {

/// Begins with the ports of the node, which has one output.
class BodyBuilder {
 public:
  BodyBuilder(const srdfg::Graph& graph, const srdfg::Node& node) : node_(node) {
    body_.name = node.name;
    for (const srdfg::ValueId id : node.inputs) body_.inputs.push_back(port(graph.get(id), srdfg::Modifier::kInput));
    body_.outputs = {port(graph.get(node.outputs.at(0)), srdfg::Modifier::kOutput)};
  }

  srdfg::ValueId input(size_t index) const { return body_.inputs.at(index); }
  const srdfg::Value& get(srdfg::ValueId id) const { return body_.get(id); }
  const srdfg::Value& output() const { return body_.get(body_.outputs[0]); }

  srdfg::ValueId add(srdfg::Value value) {
    body_.values.push_back(std::move(value));
    return {static_cast<uint32_t>(body_.values.size() - 1)};
  }

  /// Adds a node of `operation` and returns the value that it makes.
  srdfg::ValueId add(const std::string& name, const char* operation, std::vector<srdfg::ValueId> inputs,
                     srdfg::Value made, std::map<std::string, srdfg::Attribute> attributes = {}) {
    const srdfg::ValueId id = add(std::move(made));
    add_node(name, operation, std::move(attributes), std::move(inputs), id);
    return id;
  }

  /// The body, to which the node is added that makes its output.
  srdfg::Graph finish(const char* operation, std::vector<srdfg::ValueId> inputs,
                      std::map<std::string, srdfg::Attribute> attributes) {
    add_node(node_.name, operation, std::move(attributes), std::move(inputs), body_.outputs[0]);
    return std::move(body_);
  }

 private:
  srdfg::ValueId port(srdfg::Value value, srdfg::Modifier modifier) {
    value.modifier = modifier;
    value.data.clear();
    return add(std::move(value));
  }

  void add_node(const std::string& name, const char* operation, std::map<std::string, srdfg::Attribute> attributes,
                std::vector<srdfg::ValueId> inputs, srdfg::ValueId made) {
    body_.nodes.push_back({.name = name,
                           .operation = operation,
                           .attributes = std::move(attributes),
                           .inputs = std::move(inputs),
                           .outputs = {made},
                           .body = {}});
  }

  const srdfg::Node& node_;
  srdfg::Graph body_;
};

}  // namespace covenant::compiler::operators
