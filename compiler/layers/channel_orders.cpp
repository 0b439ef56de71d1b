#include "compiler/layers/channel_orders.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "acg/base/rounding.h"
#include "compiler/codelet/vector_sizes.h"
#include "compiler/layers/groups.h"
#include "compiler/operators/operators.h"
#include "compiler/srdfg/names.h"
#include "compiler/srdfg/queries.h"
#include "compiler/srdfg/windows.h"
#include "compiler/storage/vectors.h"

namespace covenant::compiler {
namespace {

using operators::Movement;
using operators::OperatorClass;
using srdfg::Graph;
using srdfg::Modifier;
using srdfg::Node;
using srdfg::Value;
using srdfg::ValueId;

using Shape = std::vector<uint64_t>;
using Order = std::vector<size_t>;  ///< at each place: the one that was before

/// Nodes that move channels: [N,C,H,W] is seen with several dimensions in the place of C, turned, and joined again.
struct Shuffle {
  size_t split = 0;
  size_t turn = 0;
  size_t join = 0;
};

/// Dimensions in the place of channels, in the order in which the convolution should make them.
struct Factors {
  Shape sizes;  ///< in the model's order
  Order order;
  bool is_whole = false;  ///< nothing is left to move then
};

/// For each index in the new order of dimensions, row-major, that in the old order.
Order indices_in(const Factors& factors) {
  const std::vector<uint64_t> strides = srdfg::row_major_strides(factors.sizes);
  Order indices{0};
  for (const size_t dimension : factors.order) {
    Order longer;
    for (const size_t index : indices) {
      for (uint64_t i = 0; i < factors.sizes[dimension]; ++i) longer.push_back(index + i * strides[dimension]);
    }
    indices = std::move(longer);
  }
  return indices;
}

/// A param with the rows of its first dimension in another order, and so the quantisation along it.
Value reordered(const Value& value, const Order& from) {
  Value result = value;
  const size_t row = value.data.size() / from.size();
  for (size_t i = 0; i < from.size(); ++i) {
    std::copy_n(value.data.begin() + static_cast<std::ptrdiff_t>(from[i] * row), row,
                result.data.begin() + static_cast<std::ptrdiff_t>(i * row));
  }
  if (!value.quantization || value.quantization->axis != 0) return result;
  const auto pick = [&](const auto& before, auto& after) {
    for (size_t i = 0; before.size() == from.size() && i < from.size(); ++i) after[i] = before[from[i]];
  };
  pick(value.quantization->scales, result.quantization->scales);
  pick(value.quantization->zero_points, result.quantization->zero_points);
  return result;
}

/// Weights [O,I,KH,KW] of a grouped convolution as those of one that sees all inputs: zeros beside its own.
Value dense(const Value& weights, size_t groups) {
  Value result = weights;
  result.shape[1] *= groups;
  const size_t outputs = weights.shape[0], row = weights.data.size() / outputs;
  result.data.assign(weights.data.size() * groups, 0);
  for (size_t output = 0; output < outputs; ++output) {
    const size_t group = output / (outputs / groups);
    std::copy_n(weights.data.begin() + static_cast<std::ptrdiff_t>(output * row), row,
                result.data.begin() + static_cast<std::ptrdiff_t>((output * groups + group) * row));
  }
  return result;
}

class ChannelOrders {
 public:
  ChannelOrders(const Graph& graph, const acg::Machine& machine)
      : graph_(graph), machine_(machine), producers_(srdfg::producers(graph)), consumers_(srdfg::consumers(graph)) {
    for (const Value& value : graph.values) names_.take(value.name);
  }

  Graph run() {
    std::set<size_t> moved;
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      const std::optional<Shuffle> shuffle = shuffle_from(i);
      const std::optional<Factors> factors = shuffle ? factors_of(*shuffle) : std::nullopt;
      if (!factors || !fold(*shuffle, *factors)) continue;
      if (factors->is_whole) moved.insert({shuffle->split, shuffle->turn, shuffle->join});
    }
    std::vector<Node> left;
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      if (!moved.contains(i)) left.push_back(std::move(graph_.nodes[i]));
    }
    graph_.nodes = std::move(left);
    return std::move(graph_);
  }

 private:
  const Shape& shape_of(ValueId id) const { return graph_.get(id).shape; }

  /// The node that alone reads what another one makes for it.
  std::optional<size_t> only_reader(size_t node) const {
    const ValueId made = graph_.nodes[node].outputs.at(0);
    const std::vector<size_t>& readers = consumers_[made.value];
    if (readers.size() != 1 || graph_.get(made).modifier != Modifier::kState) return std::nullopt;
    return readers[0];
  }

  bool moves(size_t node, Movement movement) const {
    return operators::movement_of(graph_.nodes[node].operation) == movement;
  }

  std::optional<Shuffle> shuffle_from(size_t split) const {
    if (!moves(split, Movement::kReshape)) return std::nullopt;
    const std::optional<size_t> turn = only_reader(split);
    if (!turn || !moves(*turn, Movement::kTranspose)) return std::nullopt;
    const std::optional<size_t> join = only_reader(*turn);
    if (!join || !moves(*join, Movement::kReshape)) return std::nullopt;
    return Shuffle{split, *turn, *join};
  }

  /// Dimensions that stand for the channels, those last that are channels again; nothing if the nodes move more than
  /// that, or if this is their order.
  std::optional<Factors> factors_of(const Shuffle& shuffle) const {
    const Shape& from = shape_of(graph_.nodes[shuffle.split].inputs[0]);
    const Shape& split = shape_of(graph_.nodes[shuffle.split].outputs[0]);
    const Shape& to = shape_of(graph_.nodes[shuffle.join].outputs[0]);
    if (from.size() != 4 || to.size() < 2 || split[0] != from[0] || to[0] != from[0]) return std::nullopt;
    size_t count = 0;
    uint64_t joined = 1;
    while (count + 1 < split.size() && (joined < from[1] || split[count + 1] == 1)) joined *= split[++count];
    const auto end_of_channels = split.begin() + 1 + static_cast<std::ptrdiff_t>(count);
    if (joined != from[1]) return std::nullopt;
    Factors factors;
    factors.sizes.assign(split.begin() + 1, end_of_channels);
    const std::vector<int64_t>& turned = srdfg::integers_attribute(graph_.nodes[shuffle.turn], "permutation");
    if (turned[0] != 0) return std::nullopt;
    // The dimensions that are joined to be channels.
    Order channels;
    joined = 1;
    for (size_t d = 1; d < turned.size(); ++d) {
      const auto dimension = static_cast<size_t>(turned[d]);
      if (joined == to[1] && (split[dimension] > 1 || dimension > count)) break;
      if (dimension > count) return std::nullopt;  // rows or columns become channels
      channels.push_back(dimension - 1);
      joined *= split[dimension];
    }
    if (joined != to[1]) return std::nullopt;
    for (size_t d = 1 + channels.size(); d < turned.size(); ++d) {
      const auto dimension = static_cast<size_t>(turned[d]);
      if (dimension <= count) factors.order.push_back(dimension - 1);
    }
    const auto rest = turned.begin() + 1 + static_cast<std::ptrdiff_t>(count);
    factors.is_whole = factors.order.empty() && to == from && std::ranges::is_sorted(rest, turned.end());
    factors.order.insert(factors.order.end(), channels.begin(), channels.end());
    return std::ranges::is_sorted(factors.order) ? std::nullopt : std::optional(std::move(factors));
  }

  /// Nodes from the convolution to the one before the shuffle; nothing if its channels are read elsewhere, too.
  std::optional<std::vector<size_t>> made_by(size_t split) const {
    std::vector<size_t> nodes;
    size_t reader = split;
    while (const std::optional<size_t> node = producers_[graph_.nodes[reader].inputs.at(0).value]) {
      if (only_reader(*node) != reader) return std::nullopt;
      nodes.insert(nodes.begin(), *node);
      const operators::Operator* row = operators::find_operator(graph_.nodes[*node].operation);
      if (row == nullptr) return std::nullopt;
      if (row->kind == OperatorClass::kContraction) {
        const bool has_kernel = shape_of(graph_.nodes[*node].inputs.at(1)).size() == 4;
        return has_kernel ? std::optional(std::move(nodes)) : std::nullopt;
      }
      if (row->kind != OperatorClass::kElementwise || row->is_pair) return std::nullopt;
      reader = *node;
    }
    return std::nullopt;
  }

  /// Vectors of a reduction times vectors of outputs, in steps of the machine for each pixel and element of the kernel.
  uint64_t steps(uint64_t inputs, uint64_t outputs) const {
    return ceil_divide(inputs, reduced_at_once(machine_)) *
           ceil_divide(outputs, codelet::written_at_once(machine_, DType::kI32));
  }

  /// True if a convolution of all channels takes fewer steps more than the elements of a pixel, which a copy moves one
  /// by one. Groups are merged to whole vectors (groups.h).
  bool is_worth_merging(const Node& conv) const {
    const auto groups = static_cast<uint64_t>(srdfg::groups(conv));
    if (groups == 1) return true;
    const Value& weights = graph_.get(conv.inputs[1]);
    // Channels on their own may be the work of another unit, whose sums have another width.
    if (!has_transfer_engines(machine_) || weights.shape[1] == 1) return false;
    const uint64_t inputs = weights.shape[1], outputs = weights.shape[0] / groups;
    const DType read = graph_.get(conv.inputs[0]).dtype, written = graph_.get(conv.outputs[0]).dtype;
    const uint64_t all = steps(groups * inputs, groups * outputs);
    uint64_t apart = all;
    for (uint64_t merged = 1; merged < groups && apart == all; ++merged) {
      if (!are_whole_vectors(machine_, read, merged * inputs, written, merged * outputs)) continue;
      apart = ceil_divide(groups, merged) * steps(merged * inputs, merged * outputs);
    }
    return (all - std::min(apart, all)) * weights.shape[2] * weights.shape[3] < groups * outputs;
  }

  bool fold(const Shuffle& shuffle, const Factors& factors) {
    const std::optional<std::vector<size_t>> nodes = made_by(shuffle.split);
    if (!nodes || !is_worth_merging(graph_.nodes[nodes->front()])) return false;
    reorder(graph_.nodes[nodes->front()], indices_in(factors));
    for (const size_t node : *nodes) rename(graph_.nodes[node].outputs[0]);
    if (factors.is_whole) {
      graph_.nodes[nodes->back()].outputs[0] = graph_.nodes[shuffle.join].outputs[0];
    } else {
      turn(shuffle, factors);
    }
    return true;
  }

  void reorder(Node& conv, const Order& from) {
    const auto groups = static_cast<size_t>(srdfg::groups(conv));
    for (size_t i = 1; i < conv.inputs.size(); ++i) {
      if (graph_.get(conv.inputs[i]).data.empty()) continue;  // left out
      Value value = reordered(i == 1 ? dense(graph_.get(conv.inputs[1]), groups) : graph_.get(conv.inputs[i]), from);
      value.name = names_.unique(value.name + "/ordered");
      conv.inputs[i] = {static_cast<uint32_t>(graph_.values.size())};
      graph_.values.push_back(std::move(value));
    }
    conv.attributes.erase("group");
    conv.body.clear();
  }

  void rename(ValueId id) {
    Value& value = graph_.values.at(id.value);
    value.name = names_.unique(value.name + "/ordered");
  }

  /// The same movement of channels that come in another order.
  void turn(const Shuffle& shuffle, const Factors& factors) {
    const ValueId split = graph_.nodes[shuffle.split].outputs[0];
    Shape& shape = graph_.values.at(split.value).shape;
    std::map<int64_t, int64_t> places;
    for (size_t i = 0; i < factors.order.size(); ++i) {
      shape[1 + i] = factors.sizes[factors.order[i]];
      places[static_cast<int64_t>(1 + factors.order[i])] = static_cast<int64_t>(1 + i);
    }
    std::vector<int64_t> permutation = srdfg::integers_attribute(graph_.nodes[shuffle.turn], "permutation");
    for (int64_t& dimension : permutation) {
      if (places.contains(dimension)) dimension = places.at(dimension);
    }
    graph_.nodes[shuffle.turn].attributes["permutation"] = std::move(permutation);
    rename(split);
  }

  Graph graph_;
  const acg::Machine& machine_;
  const std::vector<std::optional<size_t>> producers_;
  const std::vector<std::vector<size_t>> consumers_;
  srdfg::Names names_;
};

}  // namespace

srdfg::Graph with_channel_orders(const srdfg::Graph& graph, const acg::Machine& machine) {
  return ChannelOrders(graph, machine).run();
}

}  // namespace covenant::compiler
