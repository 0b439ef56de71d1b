#include "compiler/operators/channel_norms.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "compiler/operators/operator.h"
#include "compiler/srdfg/names.h"
#include "compiler/srdfg/queries.h"

namespace covenant::compiler::operators {
namespace {

using srdfg::Graph;
using srdfg::Node;
using srdfg::Value;
using srdfg::ValueId;
using Shape = std::vector<uint64_t>;

bool is_reshape(const Node& node) { return movement_of(node.operation) == Movement::kReshape; }

class ChannelNorms {
 public:
  ChannelNorms(Graph graph, const ChannelLimits& limits)
      : graph_(std::move(graph)),
        limits_(limits),
        producers_(srdfg::producers(graph_)),
        consumers_(srdfg::consumers(graph_)) {
    for (const Value& value : graph_.values) names_.take(value.name);
  }

  Graph run() {
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      if (const std::optional<Images> found = images_around(i)) change(i, *found);
    }
    return std::move(graph_);
  }

 private:
  /// The images of which a layer_norm reads and makes the rows.
  struct Images {
    ValueId read;
    ValueId made;
  };

  std::optional<Images> images_around(size_t index) const {
    const Node& norm = graph_.nodes[index];
    if (norm.operation != "layer_norm" || graph_.get(norm.inputs[1]).shape.size() != 2) return std::nullopt;
    const std::optional<ValueId> read = image_before(norm.inputs[0]);
    if (!read) return std::nullopt;
    const std::optional<ValueId> made = image_after(norm.outputs[0], graph_.get(*read).shape);
    return made ? std::optional(Images{*read, *made}) : std::nullopt;
  }

  /// The nearest image that was reshaped to these rows, each a group of channels.
  std::optional<ValueId> image_before(ValueId rows) const {
    const Value& value = graph_.get(rows);
    for (ValueId id = rows;;) {
      const std::optional<size_t> producer = producers_[id.value];
      if (!producer || !is_reshape(graph_.nodes[*producer])) return std::nullopt;
      id = graph_.nodes[*producer].inputs[0];
      const Shape& shape = graph_.get(id).shape;
      const bool is_image = shape.size() == 4 && shape[0] == value.shape[0] && shape[1] % value.shape[1] == 0;
      if (!is_image || shape[1] < limits_.fewest) continue;
      if (shape[1] / value.shape[1] <= limits_.widest) return id;
    }
  }

  /// The image of this shape to which these rows are reshaped, if they are nothing else.
  std::optional<ValueId> image_after(ValueId rows, const Shape& shape) const {
    for (ValueId id = rows;;) {
      const std::vector<size_t>& readers = consumers_[id.value];
      const bool is_seen = std::ranges::find(graph_.outputs, id) != graph_.outputs.end();
      if (is_seen || readers.size() != 1 || !is_reshape(graph_.nodes[readers[0]])) return std::nullopt;
      id = graph_.nodes[readers[0]].outputs[0];
      if (graph_.get(id).shape == shape) return id;
    }
  }

  void change(size_t index, const Images& images) {
    Node& norm = graph_.nodes[index];
    const uint64_t channels = graph_.get(images.read).shape[1];
    norm.operation = "channel_norm";
    norm.attributes["groups"] = static_cast<int64_t>(graph_.get(norm.inputs[0]).shape[1]);
    norm.body.clear();
    for (size_t i = 1; i < norm.inputs.size(); ++i) norm.inputs[i] = of_channels(norm.inputs[i], channels);
    norm.inputs[0] = images.read;
    norm.outputs[0] = images.made;
  }

  /// Numbers of groups, one for each of their channels.
  ValueId of_channels(ValueId numbers, uint64_t channels) {
    Value made = graph_.get(numbers);
    const uint64_t groups = made.shape[0];
    made.name = names_.unique(made.name + "/channels");
    made.data = srdfg::gathered(made.data, {groups, channels / groups}, {1, 0}, sizeof(float));
    made.shape = {channels};
    graph_.values.push_back(std::move(made));
    return {static_cast<uint32_t>(graph_.values.size() - 1)};
  }

  Graph graph_;
  const ChannelLimits limits_;
  const std::vector<std::optional<size_t>> producers_;
  const std::vector<std::vector<size_t>> consumers_;
  srdfg::Names names_;
};

/// The graph without reshapes of which the result is made by another node, or read by none.
Graph without_idle_reshapes(Graph graph) {
  std::set<ValueId> made, read(graph.outputs.begin(), graph.outputs.end());
  for (const Node& node : graph.nodes) {
    if (!is_reshape(node)) made.insert(node.outputs.begin(), node.outputs.end());
  }
  std::vector<Node> all = std::exchange(graph.nodes, {});
  std::vector<Node> kept;
  for (auto node = all.rbegin(); node != all.rend(); ++node) {
    if (is_reshape(*node) && (made.contains(node->outputs[0]) || !read.contains(node->outputs[0]))) continue;
    read.insert(node->inputs.begin(), node->inputs.end());
    kept.push_back(std::move(*node));
  }
  graph.nodes.assign(std::make_move_iterator(kept.rbegin()), std::make_move_iterator(kept.rend()));
  return graph;
}

}  // namespace

Graph with_channel_norms(Graph graph, const ChannelLimits& limits) {
  return without_idle_reshapes(ChannelNorms(std::move(graph), limits).run());
}

}  // namespace covenant::compiler::operators
