#include "compiler/srdfg/templates.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <set>
#include <string>

#include "compiler/srdfg/queries.h"

namespace covenant::compiler::srdfg {
namespace {

class Expander {
 public:
  explicit Expander(const Graph& graph) : graph_(graph) {
    for (const Value& value : graph.values) names_.insert(value.name);
    for (const Node& node : graph.nodes) names_.insert(node.name);
  }

  Graph run() {
    std::vector<Node> nodes;
    nodes.swap(graph_.nodes);
    for (Node& node : nodes) {
      if (node.operation == "softmax") {
        softmax(node);
      } else {
        graph_.nodes.push_back(std::move(node));
      }
    }
    return std::move(graph_);
  }

 private:
  std::string unique(const std::string& wanted) {
    std::string name = wanted;
    for (int number = 2; !names_.insert(name).second; ++number) name = wanted + "_" + std::to_string(number);
    return name;
  }

  ValueId add(Value value) {
    value.name = unique(value.name);
    graph_.values.push_back(std::move(value));
    return {static_cast<uint32_t>(graph_.values.size() - 1)};
  }

  /// What `operation` makes of its inputs, along the axis of `whole`.
  ValueId add_part(const Node& whole, const std::string& name, const char* operation, std::vector<ValueId> inputs,
                   Value made) {
    std::string taken = unique(name);  // before that of the value
    const ValueId id = add(std::move(made));
    graph_.nodes.push_back({.name = std::move(taken),
                            .operation = operation,
                            .attributes = {{"axis", integer_attribute(whole, "axis")}},
                            .inputs = std::move(inputs),
                            .outputs = {id},
                            .body = {}});
    return id;
  }

  void softmax(Node& node) {
    const ValueId x = node.inputs[0];
    const Value input = graph_.get(x);
    const std::string output = graph_.get(node.outputs[0]).name;
    const auto axis = static_cast<size_t>(integer_attribute(node, "axis"));
    std::vector<uint64_t> reduced = input.shape;
    reduced[axis] = 1;
    const std::vector<float> entries = exponentials(input.quantization.value().scales[0], input.shape[axis]);
    Value table{.name = output + "/exponentials",
                .dtype = DType::kF32,
                .shape = {entries.size()},
                .modifier = Modifier::kParam,
                .data = std::vector<uint8_t>(entries.size() * sizeof(float))};
    std::memcpy(table.data.data(), entries.data(), table.data.size());
    const ValueId exponential = add(std::move(table));
    const ValueId largest = add_part(
        node, node.name + "/largest", "reduce_max", {x},
        {.name = node.name + "/largest", .dtype = input.dtype, .shape = reduced, .quantization = input.quantization});
    const ValueId sum = add_part(node, node.name + "/sum", "softmax_sum", {x, largest, exponential},
                                 {.name = output + "/sum", .dtype = DType::kF32, .shape = reduced});
    node.operation = "softmax_quotient";
    node.inputs = {x, largest, sum, exponential};
    node.body.clear();
    graph_.nodes.push_back(std::move(node));
  }

  Graph graph_;
  std::set<std::string> names_;
};

}  // namespace

std::vector<float> exponentials(float x_scale, uint64_t count) {
  const auto scale = static_cast<double>(x_scale);
  const double most = std::log(static_cast<double>(std::numeric_limits<float>::max()) / static_cast<double>(count));
  const double raised = std::max(0.0, (most - 5) / scale);
  std::vector<float> table(256);
  for (int32_t below = 0; below < 256; ++below) {
    table[static_cast<uint8_t>(-below)] = static_cast<float>(std::exp((raised - below) * scale));
  }
  return table;
}

float steps_to_one(float y_scale) { return std::floor(1.0F / y_scale); }

Graph expand_templates(const Graph& graph) { return Expander(graph).run(); }

}  // namespace covenant::compiler::srdfg
