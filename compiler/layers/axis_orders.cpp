#include "compiler/layers/axis_orders.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <set>

#include "compiler/network/axis_views.h"
#include "compiler/operators/operator.h"
#include "compiler/srdfg/queries.h"
#include "compiler/storage/access_layouts.h"
#include "compiler/storage/vectors.h"

namespace covenant::compiler {
namespace {

using operators::Movement;
using operators::OperatorClass;
using srdfg::Graph;
using srdfg::Node;
using srdfg::ValueId;
using Order = std::vector<size_t>;
using Shape = std::vector<uint64_t>;

/// Most movements and operators that are followed one after the other. Each is reached from one value alone.
constexpr size_t kMostSteps = 8;

/// A way to read a value, with the order that a copy for it has.
struct Access {
  AccessLayout layout = AccessLayout::kLanes;
  Order order;
};

/// How a node reads its input `id`; nothing if any order will do, or if its result has the order, too.
std::optional<Access> access_of(const Graph& graph, const Node& node, ValueId id) {
  const operators::Operator* row = operators::find_operator(node.operation);
  const Shape& shape = graph.get(id).shape;
  const auto position = static_cast<size_t>(std::ranges::find(node.inputs, id) - node.inputs.begin());
  if (row == nullptr) return std::nullopt;
  const auto in_usual_order = [&](AccessLayout layout) { return Access{layout, memory_order(shape.size())}; };
  switch (row->kind) {
    case OperatorClass::kContraction:
    case OperatorClass::kPool:
      if (position > 0 || (shape.size() != 4 && shape.size() != 2)) return std::nullopt;
      return in_usual_order(shape.size() == 4 ? AccessLayout::kImage : AccessLayout::kRows);
    case OperatorClass::kRowProduct:
    case OperatorClass::kRowSums:
      if (position == 0 && shape.size() == 4) return in_usual_order(AccessLayout::kImage);
      return position < 2 && shape.size() == 3 ? std::optional(in_usual_order(AccessLayout::kGroups)) : std::nullopt;
    case OperatorClass::kRowScaling:
      if (position == 0 && shape.size() == 4) return in_usual_order(AccessLayout::kPixels);
      return position == 0 && shape.size() == 3 ? std::optional(in_usual_order(AccessLayout::kGroups)) : std::nullopt;
    case OperatorClass::kAlongAxis:
      if (position > 0) return std::nullopt;
      return Access{AccessLayout::kLanes,
                    axis_order(shape, static_cast<size_t>(srdfg::integer_attribute(node, "axis")))};
    case OperatorClass::kElementwise:  // of pixels and one factor for each channel
      if (!row->is_pair || graph.get(node.inputs[1]).shape == graph.get(node.inputs[0]).shape) return std::nullopt;
      return position == 0 && shape.size() == 4 ? std::optional(in_usual_order(AccessLayout::kPixels)) : std::nullopt;
    default:
      return std::nullopt;
  }
}

/// True if the node works lane by lane and its first operand that is no constant is `id`.
bool takes_order_of(const Graph& graph, const Node& node, ValueId id) {
  const operators::Operator* row = operators::find_operator(node.operation);
  if (row == nullptr || (row->kind != OperatorClass::kElementwise && row->kind != OperatorClass::kChain)) return false;
  const auto is_made = [&](ValueId one) { return graph.get(one).modifier != srdfg::Modifier::kParam; };
  const auto first = std::ranges::find_if(node.inputs, is_made);
  return first != node.inputs.end() && *first == id && graph.get(node.outputs[0]).shape == graph.get(id).shape;
}

Shape numbers(const Node& node, const char* list) {
  const std::vector<int64_t>& entries = srdfg::integers_attribute(node, list);
  return {entries.begin(), entries.end()};
}

/// A gemm reads an image as rows by the order of its weights.
bool is_flattening(const Shape& from, const Shape& to) {
  return from.size() == 4 && to.size() == 2 && from[0] == to[0];
}

}  // namespace

AxisOrders::AxisOrders(const Graph& graph, const acg::Machine& machine)
    : graph_(graph), machine_(machine), readers_(srdfg::consumers(graph)), makers_(srdfg::producers(graph)) {
  // From the last one backwards: parts lie as the whole does.
  for (size_t i = graph_.nodes.size(); i-- > 0;) {
    const Node& node = graph_.nodes[i];
    const bool is_concat = operators::movement_of(node.operation) == Movement::kConcat;
    if (is_concat && graph_.get(node.outputs[0]).shape.size() == 4) concats_[node.outputs[0]] = order_of_concat(node);
  }
}

uint64_t AxisOrders::elements(ValueId id) const { return srdfg::element_count(graph_.get(id).shape); }

Storage AxisOrders::in_order(ValueId id, const Order& order) const {
  return vector_storage(machine_, graph_.get(id).dtype, graph_.get(id).shape, order);
}

uint64_t AxisOrders::copied_by_readers(ValueId id, const Order& order) const {
  return copied(id, in_order(id, order), 0);
}

Order AxisOrders::best_for(ValueId id) const {
  const size_t rank = graph_.get(id).shape.size();
  Order best = memory_order(rank);
  uint64_t fewest = copied_by_readers(id, best);
  for (size_t last = rank; last-- > 0 && fewest > 0;) {
    Order order(rank);
    std::iota(order.begin(), order.end(), size_t{0});
    std::rotate(order.begin() + static_cast<std::ptrdiff_t>(last),
                order.begin() + static_cast<std::ptrdiff_t>(last) + 1, order.end());
    const uint64_t cost = copied_by_readers(id, order);
    if (cost >= fewest) continue;
    fewest = cost;
    best = std::move(order);
  }
  return best;
}

Order AxisOrders::order_of_concat(const Node& concat) const {
  const ValueId made = concat.outputs[0];
  const Order usual = memory_order(4);
  const Order best = best_for(made);
  uint64_t turned = 0;  // elements that are made in the usual order
  for (const ValueId part : concat.inputs) {
    const std::optional<size_t> maker = makers_[part.value];
    if (maker && access_of(graph_, graph_.nodes[*maker], graph_.nodes[*maker].inputs[0])) turned += elements(part);
  }
  return copied_by_readers(made, best) + turned < copied_by_readers(made, usual) ? best : usual;
}

uint64_t AxisOrders::copied(ValueId id, const Storage& storage, size_t steps) const {
  if (steps == kMostSteps) return 0;
  uint64_t cost = 0;
  std::set<Order> copies;  // one for all that want it
  for (const size_t reader : readers_[id.value]) {
    const Node& node = graph_.nodes[reader];
    if (operators::is_movement(node.operation)) {
      cost += copied_after(node, id, storage, steps);
    } else if (const std::optional<Access> access = access_of(graph_, node, id)) {
      const bool is_readable = can_be_read(storage, access->layout, access->order);
      if (!is_readable && copies.insert(access->order).second) cost += elements(id);
    } else if (takes_order_of(graph_, node, id)) {
      cost += copied(node.outputs[0], in_order(node.outputs[0], order_of(storage)), steps + 1);
    }
  }
  return cost;
}

uint64_t AxisOrders::copied_after(const Node& movement, ValueId x, const Storage& storage, size_t steps) const {
  const ValueId y = movement.outputs.at(0);
  const Shape& to = graph_.get(y).shape;
  const auto seen = [&](const Result<Storage>& view) {
    return view ? copied(y, *view, steps + 1)
                : elements(x) + copied(y, in_order(y, memory_order(to.size())), steps + 1);
  };
  const bool is_usual = order_of(storage) == memory_order(storage.dimensions.size());
  switch (operators::movement_of(movement.operation)) {
    case Movement::kTranspose: {
      const Shape permutation = numbers(movement, "permutation");
      return seen(permuted(storage, {permutation.begin(), permutation.end()}));
    }
    case Movement::kReshape:
      return is_flattening(graph_.get(x).shape, to) && is_usual ? 0 : seen(reshaped(storage, to));
    case Movement::kSlice:
      return seen(sliced(storage, numbers(movement, "starts"), numbers(movement, "steps"), to));
    case Movement::kRepeat:
      return seen(repeated(storage, numbers(movement, "factors")));
    case Movement::kPad:
      return copied(y, in_order(y, order_of(storage)), steps + 1);
    case Movement::kConcat: {
      const auto known = concats_.find(y);
      if (known != concats_.end()) return order_of(storage).back() == known->second.back() ? 0 : elements(x);
      return x == movement.inputs[0] ? copied(y, in_order(y, order_of(storage)), steps + 1) : 0;
    }
    case Movement::kNone:
      break;
  }
  return 0;
}

}  // namespace covenant::compiler
