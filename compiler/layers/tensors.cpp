#include "compiler/layers/tensors.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <numeric>

#include "acg/base/check.h"
#include "acg/graph/queries.h"
#include "compiler/operators/operator.h"
#include "compiler/srdfg/queries.h"
#include "compiler/storage/vectors.h"

namespace covenant::compiler {
namespace {

using srdfg::Node;
using srdfg::Value;
using srdfg::ValueId;
using Shape = std::vector<uint64_t>;

Shape numbers(const Node& node, const char* list) {
  const std::vector<int64_t>& entries = srdfg::integers_attribute(node, list);
  return {entries.begin(), entries.end()};
}

bool is_pixel(const Shape& shape) { return shape.size() == 4 && shape[2] == 1 && shape[3] == 1; }

/// Only the name changes: the same shape, or [N,C,1,1] and [N,C].
bool is_renaming(const Shape& from, const Shape& to) {
  const bool same_channels = from.size() >= 2 && to.size() >= 2 && from[0] == to[0] && from[1] == to[1];
  return from == to || (same_channels && ((is_pixel(from) && to.size() == 2) || (is_pixel(to) && from.size() == 2)));
}

Status check_rank(const Value& value) {
  if (!value.shape.empty()) return Done{};
  return Diagnostic{"GEN0022",
                    {},
                    value.name,
                    "a tensor has a rank without layout",
                    "[]",
                    {"at least one dimension"},
                    "reshape it in the model"};
}

}  // namespace

Tensors::Tensors(const srdfg::Graph& graph, const acg::Machine& machine, Network& network)
    : graph_(graph),
      machine_(machine),
      network_(network),
      orders_(graph, machine),
      placements_(graph, machine, orders_) {}

size_t Tensors::add_activation(const Value& value, const std::string& name, Storage storage) {
  Activation activation{names_.unique(name), value.dtype, value.shape, 0, std::move(storage)};
  if (value.quantization) activation.zero_point = value.quantization->zero_points.at(0);
  network_.activations.push_back(std::move(activation));
  return network_.activations.size() - 1;
}

Status Tensors::make_input(ValueId id) {
  if (Status status = check_rank(graph_.get(id)); !status) return status;
  return make(id, orders_.best_for(id));
}

Status Tensors::make(ValueId id, const std::vector<size_t>& order) {
  const Value& value = graph_.get(id);
  if (shown_.contains(id)) return Done{};  // a concat that one of its parts has made
  if (Status status = check_rank(value); !status) return status;
  const ConcatPlacement::Placement* placement = placements_.find(id);
  Storage storage = placement == nullptr ? placements_.usual_storage(id, order) : placement->storage;
  storage.allocation = network_.activations.size();
  if (placement != nullptr) {
    if (Status status = make(placement->root, placements_.order_of(id)); !status) return status;
    storage.allocation = network_.activations[shown_.at(placement->root).activation].storage.allocation;
  }
  shown_[id] = Shown{add_activation(value, value.name, std::move(storage))};
  return Done{};
}

Status Tensors::make(ValueId id, Storage storage) {
  const Value& value = graph_.get(id);
  check(placements_.find(id) == nullptr, "a layer that says where its result lies makes no part of a concat");
  storage.allocation = network_.activations.size();
  shown_[id] = Shown{add_activation(value, value.name, std::move(storage))};
  return Done{};
}

Storage Tensors::storage_of(ValueId id) const {
  const Shown& shown = shown_.at(id);
  if (shown.view) return *shown.view;
  const Activation& activation = network_.activations[shown.activation];
  const Shape& shape = graph_.get(id).shape;
  if (activation.shape == shape) return activation.storage;
  const Result<Storage> view = reshaped(activation.storage, shape);
  check(static_cast<bool>(view), "a renamed or flattened tensor is a view");
  return *view;
}

size_t Tensors::activation_of(ValueId id) {
  Shown& shown = shown_.at(id);
  if (shown.is_flat) shown = {shown.activation, false, storage_of(id)};
  if (shown.view) {
    const Value& value = graph_.get(id);
    shown = {add_activation(value, value.name, *shown.view)};
  }
  return shown.activation;
}

Result<size_t> Tensors::to_host(ValueId id) {
  const auto stands = [](const acg::Stride& step) { return step.count > 1 && step.stride == 0; };
  const Storage storage = storage_of(id);
  const bool repeats = std::ranges::any_of(
      storage.dimensions, [&](const StorageDimension& one) { return std::ranges::any_of(one.strides, stands); });
  return repeats ? copied(id, memory_order(storage.dimensions.size())) : activation_of(id);
}

std::optional<size_t> Tensors::flattened(ValueId id) const {
  const Shown& shown = shown_.at(id);
  return shown.is_flat ? std::optional(shown.activation) : std::nullopt;
}

std::vector<size_t> Tensors::lane_order(const Node& node) const {
  const ValueId made = node.outputs.at(0);
  if (placements_.find(made) != nullptr) return placements_.order_of(made);
  std::vector<std::vector<size_t>> orders;
  for (const ValueId id : node.inputs) {
    if (graph_.get(id).modifier == srdfg::Modifier::kParam) continue;
    if (graph_.get(id).shape.size() != graph_.get(made).shape.size() && !orders.empty()) continue;
    orders.push_back(order_of(storage_of(id)));
    for (auto copy = copies_.lower_bound({id, {}}); copy != copies_.end() && copy->first.first == id; ++copy) {
      orders.push_back(copy->first.second);
    }
  }
  check(!orders.empty(), "a layer has an operand that is no constant");
  return *std::ranges::min_element(orders, {}, [&](const auto& order) { return copied_by_lanes(node, order); });
}

/// Elements of operands that cannot be read in this order, and those that readers of the result would copy.
uint64_t Tensors::copied_by_lanes(const Node& node, const std::vector<size_t>& order) const {
  uint64_t cost = orders_.copied_by_readers(node.outputs[0], order);
  for (const ValueId id : node.inputs) {
    if (graph_.get(id).modifier == srdfg::Modifier::kParam || copies_.contains({id, order})) continue;
    if (!can_be_read(storage_of(id), AccessLayout::kLanes, order)) cost += srdfg::element_count(graph_.get(id).shape);
  }
  return cost;
}

Result<size_t> Tensors::read(ValueId id, AccessLayout layout, const std::vector<size_t>& order) {
  const std::vector<size_t> wanted = layout == AccessLayout::kLanes ? order : memory_order(graph_.get(id).shape.size());
  const Shown& shown = shown_.at(id);
  const bool is_renamed = !shown.view && !shown.is_flat &&
                          network_.activations[shown.activation].shape.size() != graph_.get(id).shape.size();
  const bool is_word_wise = layout != AccessLayout::kLanes && layout != AccessLayout::kPixels;
  const auto is_readable = [&](const Storage& storage) {
    return can_be_read(storage, layout, wanted) && (!is_word_wise || is_aligned_for_products(storage, machine_));
  };
  if (is_renamed || is_readable(storage_of(id))) return activation_of(id);
  return copied(id, wanted);
}

void Tensors::keep_shape(ValueId id) {
  Shown& shown = shown_.at(id);
  if (shown.view || network_.activations[shown.activation].shape == graph_.get(id).shape) return;
  shown = Shown{shown.activation, false, storage_of(id)};
}

Status Tensors::move(const Node& node) {
  if (Status status = check_rank(graph_.get(node.outputs.at(0))); !status) return status;
  const ValueId x = node.inputs.at(0);
  const ValueId y = node.outputs.at(0);
  switch (operators::movement_of(node.operation)) {
    case operators::Movement::kReshape:
      return reshape(node);
    case operators::Movement::kConcat:
      return concatenate(node);
    case operators::Movement::kPad:
      return pad(node);
    case operators::Movement::kTranspose: {
      const Shape permutation = numbers(node, "permutation");
      return show(y, x, permuted(storage_of(x), {permutation.begin(), permutation.end()}));
    }
    case operators::Movement::kRepeat:
      return show(y, x, repeated(storage_of(x), numbers(node, "factors")));
    case operators::Movement::kSlice:
      return slice(node);
    case operators::Movement::kNone:
      break;
  }
  throw InternalError("a movement is in the table of operators");
}

Status Tensors::slice(const Node& node) {
  const ValueId x = node.inputs.at(0);
  const ValueId y = node.outputs.at(0);
  const auto part_of = [&](const Storage& storage) {
    return sliced(storage, numbers(node, "starts"), numbers(node, "steps"), graph_.get(y).shape);
  };
  if (Result<Storage> part = part_of(storage_of(x))) return show(y, x, *std::move(part));
  const Result<size_t> row = copied(x, memory_order(graph_.get(x).shape.size()));
  if (!row) return row.error();
  shown_[x] = Shown{*row};
  Result<Storage> part = part_of(storage_of(x));
  check(static_cast<bool>(part), "a tensor without tiles can be cut");
  return show(y, x, *std::move(part));
}

Status Tensors::show(ValueId id, ValueId source, Storage storage) {
  storage.allocation = storage_of(source).allocation;
  shown_[id] = Shown{shown_.at(source).activation, false, std::move(storage)};
  return Done{};
}

/// A reshape that only a gemm reads in another order than that of memory is deferred to it: its weights can be
/// reordered instead.
Status Tensors::reshape(const Node& node) {
  const ValueId x = node.inputs.at(0);
  const ValueId y = node.outputs.at(0);
  const Shape& from = graph_.get(x).shape;
  const Shape& to = graph_.get(y).shape;
  const Shown source = shown_.at(x);
  const bool is_whole = !source.view && network_.activations[source.activation].shape == from;
  const bool is_part = network_.activations[source.activation].storage.allocation != source.activation;
  if (is_renaming(from, to) && !source.view) {
    shown_[y] = source;
    return Done{};
  }
  const auto is_usual = [&] {  // lanes and axes of the layer that made it may have put it in another order
    return storage_of(x).dimensions == placements_.usual_storage(x, memory_order(4)).dimensions;
  };
  if (is_whole && !is_part && from.size() == 4 && to.size() == 2 && from[0] == to[0] && is_usual()) {
    shown_[y] = Shown{source.activation, true};
    return Done{};
  }
  const Result<Storage> view = reshaped(storage_of(x), to);
  if (view) return show(y, x, *view);
  // Element after element, in the model's order, they can be seen in any shape.
  std::vector<size_t> order(from.size());
  std::iota(order.begin(), order.end(), size_t{0});
  const Result<size_t> row = copied(x, "_row_major", dense(storage_of(x).memory, from, order, from.back()));
  if (!row) return row.error();
  order.resize(to.size());
  std::iota(order.begin(), order.end(), size_t{0});
  Storage seen = network_.activations[*row].storage;
  seen.dimensions = dense(seen.memory, to, order, to.back()).dimensions;
  shown_[y] = Shown{*row, false, std::move(seen)};
  return Done{};
}

/// A copy within a tensor that holds the zero point before the first layer runs. What is written past the end of a row
/// is written over by zero points.
Status Tensors::pad(const Node& node) {
  const ValueId x = node.inputs.at(0);
  const ValueId y = node.outputs.at(0);
  Shape inner = graph_.get(x).shape;
  const DType dtype = graph_.get(x).dtype;
  const std::vector<size_t> order = order_of(storage_of(x));
  const size_t lanes = order.back();
  Shape starts = numbers(node, "before");
  const uint64_t after = graph_.get(y).shape[lanes] - inner[lanes] - starts[lanes];
  Storage whole = placements_.usual_storage(y, order);
  const uint64_t end = starts[lanes] + inner[lanes];
  const uint64_t row = std::max({whole.dimensions[lanes].size + whole.dimensions[lanes].after,
                                 starts[lanes] + written_row(machine_, dtype, inner[lanes]),
                                 end + (after == 0 ? 0 : written_row(machine_, dtype, after))});
  whole = dense(whole.memory, graph_.get(y).shape, order, written_row(machine_, dtype, row));
  whole.is_filled = true;
  if (Status status = make(y, whole); !status) return status;
  whole = storage_of(y);
  size_t to = add_activation(graph_.get(x), node.name, placements_.part_of(whole, starts, inner, dtype, lanes));
  if (Status status = copy(node.name, activation_of(x), to); !status) return status;
  if (after == 0 || has_transfer_engines(machine_)) return Done{};
  starts[lanes] = end;
  inner[lanes] = after;
  Value padding = graph_.get(x);
  padding.shape = inner;
  to = add_activation(padding, node.name + "_end", placements_.part_of(whole, starts, inner, dtype, lanes));
  return copy(node.name + "_end", zero_points(padding, lanes), to);
}

/// Rows of which all are the same one, which the layers find there.
size_t Tensors::zero_points(const Value& value, size_t lanes) {
  Storage storage;
  storage.memory = acg::get(machine_, acg::outermost_memory(machine_)).name;
  storage.allocation = network_.activations.size();
  storage.is_filled = true;
  for (const uint64_t size : value.shape) storage.dimensions.push_back({size, 0, 0, {{size, 0}}});
  storage.dimensions[lanes].strides[0].stride = 1;
  return add_activation(value, value.name + "_zero", std::move(storage));
}

/// Parts that were not made where they belong are copied there.
Status Tensors::concatenate(const Node& node) {
  const ValueId y = node.outputs.at(0);
  const Shape& whole = graph_.get(y).shape;
  const std::vector<size_t> order =
      whole.size() == 4 ? placements_.order_of(y) : order_of(storage_of(node.inputs.at(0)));
  if (Status status = make(y, order); !status) return status;
  const Storage storage = storage_of(y);
  const auto axis = static_cast<size_t>(srdfg::integer_attribute(node, "axis"));
  Shape starts(whole.size(), 0);
  for (const ValueId id : node.inputs) {
    const Shape& shape = graph_.get(id).shape;
    const Storage part = placements_.part_of(storage, starts, shape, graph_.get(id).dtype, order.back());
    starts[axis] += shape[axis];
    const Storage lies = storage_of(id);
    const bool is_there = lies.allocation == part.allocation && lies.offset == part.offset;
    if (is_there && lies.dimensions == part.dimensions) continue;
    Result<size_t> from = activation_of(id);
    if (lies.allocation == part.allocation) from = copied(id, order);
    if (!from) return from.error();
    const std::string name = fmt::format("{}/{}", node.name, graph_.get(id).name);
    const size_t to = add_activation(graph_.get(id), name, part);
    if (Status status = copy(name, *from, to); !status) return status;
  }
  return Done{};
}

}  // namespace covenant::compiler
