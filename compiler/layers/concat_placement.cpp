#include "compiler/layers/concat_placement.h"

#include <algorithm>
#include <tuple>

#include "acg/base/check.h"
#include "compiler/network/network.h"
#include "compiler/operators/operator.h"
#include "compiler/srdfg/queries.h"
#include "compiler/storage/access_layouts.h"
#include "compiler/storage/vectors.h"

namespace covenant::compiler {
namespace {

using srdfg::Node;
using srdfg::ValueId;
using Shape = std::vector<uint64_t>;

bool is_concat(const Node& node) { return operators::movement_of(node.operation) == operators::Movement::kConcat; }

size_t axis_of(const Node& concat) { return static_cast<size_t>(srdfg::integer_attribute(concat, "axis")); }

}  // namespace

/// Goes through concats from the last one backwards: the place of a concat's own result must be known before its parts
/// get places.
ConcatPlacement::ConcatPlacement(const srdfg::Graph& graph, const acg::Machine& machine, const AxisOrders& orders)
    : graph_(graph),
      machine_(machine),
      orders_(orders),
      producers_(srdfg::producers(graph)),
      consumers_(srdfg::consumers(graph)) {
  trace();
  for (size_t i = graph_.nodes.size(); i-- > 0;) {
    if (is_concat(graph_.nodes[i])) place_parts(graph_.nodes[i]);
  }
}

const ConcatPlacement::Placement* ConcatPlacement::find(ValueId id) const {
  const auto placement = placements_.find(id);
  return placement == placements_.end() ? nullptr : &placement->second;
}

const std::vector<size_t>& ConcatPlacement::order_of(ValueId id) const {
  const Placement* placement = find(id);
  return orders_.of_concat(placement == nullptr ? id : placement->root);
}

Storage ConcatPlacement::usual_storage(ValueId id, const std::vector<size_t>& order) const {
  const srdfg::Value& value = graph_.get(id);
  Storage storage = vector_storage(machine_, value.dtype, value.shape, order);
  if (concat_that_makes(id) == nullptr) return storage;
  const StorageDimension& lanes = storage.dimensions[order.back()];
  const uint64_t row = std::max(lanes.size + lanes.after, written_from(id, order.back()));
  return dense(storage.memory, value.shape, order, written_row(machine_, value.dtype, row));
}

Storage ConcatPlacement::part_of(const Storage& whole, const Shape& starts, const Shape& shape, DType dtype,
                                 size_t lanes) const {
  Result<Storage> part = sliced(whole, starts, Shape(starts.size(), 1), shape);
  check(static_cast<bool>(part), "what is made of parts is stored in rows");
  StorageDimension& last = part->dimensions[lanes];
  if (!has_transfer_engines(machine_)) last.after = written_row(machine_, dtype, last.size) - last.size;
  return *std::move(part);
}

void ConcatPlacement::place_parts(const Node& concat) {
  const ValueId made = concat.outputs.at(0);
  if (graph_.get(made).shape.size() != 4) return;
  const Placement* own = find(made);
  const std::vector<size_t>& order = order_of(made);
  const size_t lanes = order.back();
  const Placement placement = own != nullptr ? *own : Placement{made, usual_storage(made, order)};
  const size_t axis = axis_of(concat);
  const size_t copies = producers_[made.value].value();
  Shape starts(4, 0);
  /// How far the parts so far are written, and when the last of them is.
  struct Written {
    uint64_t end = 0;
    size_t last = 0;
  };
  std::vector<Written> written;
  for (const ValueId id : concat.inputs) {
    const auto& [shape, dtype] = std::tie(graph_.get(id).shape, graph_.get(id).dtype);
    const Storage part = part_of(placement.storage, starts, shape, dtype, lanes);
    const bool is_later = std::ranges::all_of(written, [&](const Written& other) {
      return axis != lanes || other.end <= starts[axis] || other.last < first_write(id);
    });
    const bool moves_in = is_later && can_move_in(id, concat, placement.root, part);
    if (moves_in) placements_.emplace(id, Placement{placement.root, part});
    written.push_back({starts[axis] + written_from(id, lanes), moves_in ? producers_[id.value].value() : copies});
    starts[axis] += shape[axis];
  }
}

/// True if a layer makes the value that may write anywhere, and if the value is part of the concat once. No layer reads
/// and writes one allocation: vectors that it reads may include bytes that it writes.
bool ConcatPlacement::can_move_in(ValueId id, const Node& concat, ValueId root, const Storage& part) const {
  const std::optional<size_t> producer = producers_[id.value];
  if (!producer || placements_.contains(id) || std::ranges::count(concat.inputs, id) != 1) return false;
  const Node& maker = graph_.nodes[*producer];
  const operators::Operator* row = operators::find_operator(maker.operation);
  if (row == nullptr || !row->writes_parts) return false;
  const std::vector<size_t>& order = orders_.of_concat(root);
  // A layer that works lane by lane has all pixels in one dimension; others make images.
  const bool works_by_lanes = row->kind == operators::OperatorClass::kElementwise;
  if (works_by_lanes && !can_be_read(part, AccessLayout::kLanes, order)) return false;
  if (!works_by_lanes && order != memory_order(4)) return false;
  const auto is_inside = [&](ValueId source) { return is_within(source, root); };
  const bool reads_it = !operators::is_movement(maker.operation) && std::ranges::any_of(maker.inputs, is_inside);
  return !reads_it && !is_read_within(id, root);
}

/// True if the value is placed in the concat `root`, itself or as a view.
bool ConcatPlacement::is_within(ValueId id, ValueId root) const {
  const ValueId whole = shown_[id.value];
  if (whole == root) return true;
  const Placement* placement = find(whole);
  return placement != nullptr && placement->root == root;
}

/// True if a layer that reads the value, or a view of it, writes into the concat `root`.
bool ConcatPlacement::is_read_within(ValueId id, ValueId root) const {
  std::vector<ValueId> views{id};
  while (!views.empty()) {
    const ValueId view = views.back();
    views.pop_back();
    for (const size_t reader : consumers_[view.value]) {
      const Node& node = graph_.nodes[reader];
      const ValueId made = node.outputs.at(0);
      if (is_concat(node)) continue;
      if (operators::is_movement(node.operation)) {
        views.push_back(made);
      } else if (is_within(made, root)) {
        return true;
      }
    }
  }
  return false;
}

/// Number of contiguous elements, from the first one of the value on, that a layer which makes it in place may write.
/// Must be called for the parts of a concat first.
uint64_t ConcatPlacement::written_from(ValueId id, size_t lanes) const {
  const auto known = written_.find({id, lanes});
  if (known != written_.end()) return known->second;
  const srdfg::Value& value = graph_.get(id);
  uint64_t end = written_row(machine_, value.dtype, value.shape.at(lanes));
  if (const Node* concat = concat_that_makes(id)) {
    uint64_t start = 0;
    for (const ValueId part : concat->inputs) {
      end = std::max(end, start + written_from(part, lanes));
      if (axis_of(*concat) == lanes) start += graph_.get(part).shape[lanes];
    }
  }
  written_[{id, lanes}] = end;
  return end;
}

/// The result of a movement is placed with the value before it; a value that is made in place is first written when its
/// first part is made.
void ConcatPlacement::trace() {
  for (uint32_t id = 0; id < graph_.values.size(); ++id) shown_.push_back({id});
  for (size_t i = 0; i < graph_.nodes.size(); ++i) {
    const Node& node = graph_.nodes[i];
    const bool is_joined = is_concat(node);
    for (const ValueId made : node.outputs) {
      if (operators::is_movement(node.operation) && !is_joined) shown_[made.value] = shown_[node.inputs.at(0).value];
      size_t first = i;
      if (is_joined) {
        for (const ValueId part : node.inputs) first = std::min(first, first_write(part));
      }
      first_writes_[made] = first;
    }
    if (!is_joined) continue;
    const ValueId made = node.outputs.at(0);
    for (size_t lanes = 0; lanes < graph_.get(made).shape.size(); ++lanes) written_from(made, lanes);
  }
}

/// The first node that may write into the value, where it is made in place.
size_t ConcatPlacement::first_write(ValueId id) const {
  const auto known = first_writes_.find(id);
  return known == first_writes_.end() ? 0 : known->second;
}

const Node* ConcatPlacement::concat_that_makes(ValueId id) const {
  const std::optional<size_t> producer = producers_[id.value];
  if (!producer || !is_concat(graph_.nodes[*producer])) return nullptr;
  return &graph_.nodes[*producer];
}

}  // namespace covenant::compiler
