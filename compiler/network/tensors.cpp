#include "compiler/network/tensors.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <numeric>

#include "acg/base/check.h"
#include "compiler/srdfg/movement.h"
#include "compiler/srdfg/queries.h"

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

/// One step from index to index, and not 0.
bool is_row(const StorageDimension& dimension) {
  return dimension.size == 1 || (dimension.strides.size() == 1 && dimension.strides[0].stride > 0);
}

bool is_side_by_side(const StorageDimension& dimension) {
  return dimension.size == 1 || (dimension.strides.size() == 1 && dimension.strides[0].stride == 1);
}

bool can_be_read(const Storage& storage, Reading reading, const std::vector<size_t>& order) {
  const std::vector<StorageDimension>& dimensions = storage.dimensions;
  if (reading == Reading::kGroups) {
    return dimensions.size() == 3 && std::ranges::all_of(dimensions, has_one_step) && is_side_by_side(dimensions[2]);
  }
  if (reading != Reading::kLanes) {
    const bool is_image = dimensions.size() == (reading == Reading::kRows ? 2 : 4) && is_side_by_side(dimensions[1]) &&
                          std::ranges::all_of(dimensions, is_row);
    if (!is_image || reading != Reading::kPixels) return is_image;
    const Result<Storage> pixels =
        reshaped(permuted(storage, memory_order(4)),
                 {dimensions[0].size, dimensions[2].size * dimensions[3].size, dimensions[1].size});
    return pixels && std::ranges::all_of(pixels->dimensions, is_row);
  }
  if (!std::ranges::all_of(dimensions, is_row) || !is_side_by_side(dimensions[order.back()])) return false;
  const Storage turned = permuted(storage, order);
  uint64_t rows = 1;
  for (size_t d = 0; d + 1 < order.size(); ++d) rows *= turned.dimensions[d].size;
  const Result<Storage> matrix = reshaped(turned, {rows, turned.dimensions.back().size});
  return matrix && std::ranges::all_of(matrix->dimensions, is_row);
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
      producers_(srdfg::producers(graph)),
      consumers_(srdfg::consumers(graph)) {
  find_homes();
}

/// Concats from the last one back: each finds where its own result lies before it gives homes away.
void Tensors::find_homes() {
  for (size_t i = graph_.nodes.size(); i-- > 0;) {
    if (graph_.nodes[i].operation == "concat") find_homes(graph_.nodes[i]);
  }
}

void Tensors::find_homes(const Node& concat) {
  const ValueId made = concat.outputs.at(0);
  if (graph_.get(made).shape.size() != 4) return;
  const auto own = homes_.find(made);
  const Home home = own != homes_.end() ? own->second : Home{made, usual_storage(made, memory_order(4))};
  const auto axis = static_cast<size_t>(srdfg::integer_attribute(concat, "axis"));
  Shape starts(4, 0);
  for (const ValueId id : concat.inputs) {
    const Shape& shape = graph_.get(id).shape;
    const Result<Storage> part = sliced(home.storage, starts, Shape(4, 1), shape);
    starts[axis] += shape[axis];
    if (part && can_move_in(id, concat, home.root, *part)) homes_.emplace(id, Home{home.root, *part});
  }
}

/// Is the value made by a layer that may write anywhere, and does it go into the concat once? No layer reads and writes
/// one allocation: where it reads whole vectors, they may span what it writes.
bool Tensors::can_move_in(ValueId id, const Node& concat, ValueId root, const Storage& part) const {
  constexpr std::array<std::string_view, 6> kMakers{"conv", "lookup", "clip", "max_pool", "average_pool", "concat"};
  const std::optional<size_t> producer = producers_[id.value];
  if (!producer || std::ranges::count(concat.inputs, id) != 1) return false;
  const Node& maker = graph_.nodes[*producer];
  if (!srdfg::is_pair(maker.operation) && std::ranges::find(kMakers, maker.operation) == kMakers.end()) return false;
  // What works lane by lane has all pixels in one dimension.
  const bool has_rows = maker.operation == "conv" || maker.operation.ends_with("_pool") || maker.operation == "concat";
  if (!has_rows && !can_be_read(part, Reading::kLanes, memory_order(4))) return false;
  const auto is_inside = [&](ValueId source) { return is_within(source, root); };
  const bool reads_it = !srdfg::is_movement(maker.operation) && std::ranges::any_of(maker.inputs, is_inside);
  return !reads_it && !is_read_within(id, root);
}

/// Does the value lie in the concat `root`, as it is or as a view?
bool Tensors::is_within(ValueId id, ValueId root) const {
  if (id == root) return true;
  const auto home = homes_.find(id);
  if (home != homes_.end()) return home->second.root == root;
  const std::optional<size_t> producer = producers_[id.value];
  if (!producer) return false;
  const Node& maker = graph_.nodes[*producer];
  return srdfg::is_movement(maker.operation) && maker.operation != "concat" && is_within(maker.inputs.at(0), root);
}

/// Does a layer that reads the value, or a view of it, write into the concat `root`?
bool Tensors::is_read_within(ValueId id, ValueId root) const {
  return std::ranges::any_of(consumers_[id.value], [&](size_t reader) {
    const Node& node = graph_.nodes[reader];
    const ValueId made = node.outputs.at(0);
    if (node.operation == "concat") return false;
    return srdfg::is_movement(node.operation) ? is_read_within(made, root) : is_within(made, root);
  });
}

Storage Tensors::usual_storage(ValueId id, const std::vector<size_t>& order) const {
  return vector_storage(machine_, graph_.get(id).dtype, graph_.get(id).shape, order);
}

size_t Tensors::add_activation(const Value& value, const std::string& name, Storage storage) {
  Activation activation{names_.unique(name), value.dtype, value.shape, 0, std::move(storage)};
  if (value.quantization) activation.zero_point = value.quantization->zero_points.at(0);
  network_.activations.push_back(std::move(activation));
  return network_.activations.size() - 1;
}

Status Tensors::make(ValueId id) {
  std::vector<size_t> order = memory_order(graph_.get(id).shape.size());
  return make(id, order);
}

Status Tensors::make(ValueId id, const std::vector<size_t>& order) {
  const Value& value = graph_.get(id);
  if (shown_.contains(id)) return Done{};  // a concat that one of its parts has made
  if (Status status = check_rank(value); !status) return status;
  const auto home = homes_.find(id);
  Storage storage = home == homes_.end() ? usual_storage(id, order) : home->second.storage;
  storage.allocation = network_.activations.size();
  if (home != homes_.end()) {
    if (Status status = make(home->second.root, memory_order(4)); !status) return status;
    storage.allocation = network_.activations[shown_.at(home->second.root).activation].storage.allocation;
  }
  shown_[id] = Shown{add_activation(value, value.name, std::move(storage))};
  return Done{};
}

Status Tensors::make(ValueId id, Storage storage) {
  const Value& value = graph_.get(id);
  check(!homes_.contains(id), "a layer that says where its result lies makes no part of a concat");
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
  const size_t rank = graph_.get(node.outputs.at(0)).shape.size();
  const auto is_made = [&](ValueId id) { return graph_.get(id).modifier != srdfg::Modifier::kParam; };
  const auto first = std::ranges::find_if(node.inputs, is_made);
  check(first != node.inputs.end(), "a layer has an operand that is no constant");
  return homes_.contains(node.outputs[0]) ? memory_order(rank) : order_of(storage_of(*first));
}

Result<size_t> Tensors::read(ValueId id, Reading reading, const std::vector<size_t>& order) {
  const std::vector<size_t> wanted = reading == Reading::kLanes ? order : memory_order(graph_.get(id).shape.size());
  const Shown& shown = shown_.at(id);
  const bool is_renamed = !shown.view && !shown.is_flat &&
                          network_.activations[shown.activation].shape.size() != graph_.get(id).shape.size();
  if (is_renamed || can_be_read(storage_of(id), reading, wanted)) return activation_of(id);
  return copied(id, wanted);
}

Status Tensors::move(const Node& node) {
  if (Status status = check_rank(graph_.get(node.outputs.at(0))); !status) return status;
  if (node.operation == "reshape") return reshape(node);
  if (node.operation == "concat") return concatenate(node);
  if (node.operation == "pad") return pad(node);
  const ValueId x = node.inputs.at(0);
  const ValueId y = node.outputs.at(0);
  if (node.operation == "transpose") {
    const Shape permutation = numbers(node, "permutation");
    return show(y, x, permuted(storage_of(x), {permutation.begin(), permutation.end()}));
  }
  if (node.operation == "repeat") return show(y, x, repeated(storage_of(x), numbers(node, "factors")));
  const auto slice = [&] {
    return sliced(storage_of(x), numbers(node, "starts"), numbers(node, "steps"), graph_.get(y).shape);
  };
  Result<Storage> part = slice();
  if (part) return show(y, x, *part);
  const Result<size_t> row = copied(x, memory_order(graph_.get(x).shape.size()));
  if (!row) return row.error();
  shown_[x] = Shown{*row};
  part = slice();
  check(static_cast<bool>(part), "a tensor without tiles can be cut");
  return show(y, x, *part);
}

Status Tensors::show(ValueId id, ValueId source, Storage storage) {
  storage.allocation = storage_of(source).allocation;
  shown_[id] = Shown{shown_.at(source).activation, false, std::move(storage)};
  return Done{};
}

/// What a gemm alone reads in another order than that of memory waits for it: its weights can be turned instead.
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
    return storage_of(x).dimensions == usual_storage(x, memory_order(4)).dimensions;
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
  Result<Storage> seen = reshaped(network_.activations[*row].storage, to);
  check(static_cast<bool>(seen), "a tensor in row-major order can be seen in any shape");
  shown_[y] = Shown{*row, false, std::move(*seen)};
  return Done{};
}

/// A copy within a tensor that holds the zero point before the first layer runs.
Status Tensors::pad(const Node& node) {
  const ValueId x = node.inputs.at(0);
  const ValueId y = node.outputs.at(0);
  const Shape& inner = graph_.get(x).shape;
  if (Status status = make(y, order_of(storage_of(x))); !status) return status;
  Storage& whole = network_.activations[shown_.at(y).activation].storage;
  whole.is_filled = true;
  Result<Storage> part = sliced(whole, numbers(node, "before"), Shape(inner.size(), 1), inner);
  check(static_cast<bool>(part), "a new tensor is stored in rows");
  const size_t to = add_activation(graph_.get(x), node.name, std::move(*part));
  return copy(node.name, activation_of(x), to);
}

/// Parts that were not made where they belong are copied there.
Status Tensors::concatenate(const Node& node) {
  const ValueId y = node.outputs.at(0);
  const Shape& whole = graph_.get(y).shape;
  const std::vector<size_t> order = whole.size() == 4 ? memory_order(4) : order_of(storage_of(node.inputs.at(0)));
  if (Status status = make(y, order); !status) return status;
  const Storage storage = storage_of(y);
  const auto axis = static_cast<size_t>(srdfg::integer_attribute(node, "axis"));
  Shape starts(whole.size(), 0);
  for (const ValueId id : node.inputs) {
    const Shape& shape = graph_.get(id).shape;
    const Result<Storage> part = sliced(storage, starts, Shape(whole.size(), 1), shape);
    check(static_cast<bool>(part), "a concat is stored in rows");
    starts[axis] += shape[axis];
    const Storage lies = storage_of(id);
    const bool is_there = lies.allocation == part->allocation && lies.offset == part->offset;
    if (is_there && lies.dimensions == part->dimensions) continue;
    Result<size_t> from = activation_of(id);
    if (lies.allocation == part->allocation) from = copied(id, order);
    if (!from) return from.error();
    const std::string name = fmt::format("{}/{}", node.name, graph_.get(id).name);
    const size_t to = add_activation(graph_.get(id), name, *part);
    if (Status status = copy(name, *from, to); !status) return status;
  }
  return Done{};
}

}  // namespace covenant::compiler
