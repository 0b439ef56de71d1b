#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "acg/base/check.h"
#include "compiler/layers/copy_layers.h"
#include "compiler/layers/tensors.h"
#include "compiler/network/copy_views.h"
#include "compiler/storage/vectors.h"

// Layers that copy, inserted where a view cannot be read or elements must be tiled.

namespace covenant::compiler {
namespace {

using srdfg::Value;
using srdfg::ValueId;
using Shape = std::vector<uint64_t>;

}  // namespace

Result<size_t> Tensors::copied(ValueId id, const std::vector<size_t>& order) {
  const auto known = copies_.find({id, order});
  if (known != copies_.end()) return known->second;
  const Result<size_t> made = copied(id, "_copy", placements_.usual_storage(id, order));
  if (made) copies_[{id, order}] = *made;
  return made;
}

Result<size_t> Tensors::read_rows(ValueId id, uint64_t columns) {
  Result<size_t> activation = read(id, AccessLayout::kGroups);
  if (!activation) return activation;
  const StorageDimension& row = network_.activations[*activation].storage.dimensions.back();
  if (row.size + row.after >= columns) return activation;
  const std::vector<size_t> order = memory_order(3);
  return copied(id, "_wide", dense(storage_of(id).memory, graph_.get(id).shape, order, columns));
}

Result<size_t> Tensors::in_tiles(ValueId id, Storage storage) {
  for (const size_t known : tiled_[id]) {
    if (network_.activations[known].storage.dimensions == storage.dimensions) return known;
  }
  const Value& value = graph_.get(id);
  const Storage lies = storage_of(id);
  Result<size_t> from = std::ranges::all_of(lies.dimensions, has_one_step)
                            ? activation_of(id)
                            : copied(id, memory_order(value.shape.size()));
  if (!from) return from;
  const std::string name = value.name + "_tiles";
  storage.allocation = network_.activations.size();
  const size_t whole = add_activation(value, name, storage);
  network_.activations[whole].zero_point = 0;  // the filling of the last tile adds nothing
  for (const Box& box : boxes_of(storage)) {
    Activation part = network_.activations[whole];
    part.shape = shape_of(box.storage);
    part.storage = box.storage;
    part.name = fmt::format("{}/{}", name, fmt::join(box.starts, "_"));
    Activation source = network_.activations[*from];
    const Result<Storage> seen = sliced(source.storage, box.starts, Shape(box.starts.size(), 1), part.shape);
    check(static_cast<bool>(seen), "a tensor without tiles can be cut");
    source.storage = *seen;
    source.shape = part.shape;
    source.name = part.name + "/from";
    network_.activations.push_back(std::move(source));
    network_.activations.push_back(std::move(part));
    const size_t to = network_.activations.size() - 1;
    if (Status status = copy(network_.activations[to].name, to - 1, to); !status) return status.error();
  }
  tiled_[id].push_back(whole);
  return whole;
}

Result<size_t> Tensors::copied(ValueId id, const std::string& suffix, Storage storage) {
  const Value& value = graph_.get(id);
  const size_t from = activation_of(id);
  storage.allocation = network_.activations.size();
  const size_t to = add_activation(value, value.name + suffix, std::move(storage));
  if (Status status = copy(value.name + suffix, from, to); !status) return status.error();
  return to;
}

/// Data written past the last element of a row needs room there: without it, rows are made elsewhere first and then
/// copied as wholes.
Result<size_t> Tensors::in_whole_rows(const std::string& name, size_t from, size_t to) {
  const Activation &x = network_.activations[from], &y = network_.activations[to];
  const Result<CommonSteps> steps = common_steps(x.storage, y.storage, kCopyDimensions);
  if (!steps || y.storage.allocation == to) return from;
  const uint64_t run = steps->to.dimensions.back().size;
  if (written_row(machine_, y.dtype, run) - run <= room_of_rows(y.storage)) return from;
  const std::vector<size_t> order = order_of(y.storage);
  Storage storage = vector_storage(machine_, y.dtype, y.shape, order);
  storage.allocation = network_.activations.size();
  Activation rows{names_.unique(name + "_rows"), y.dtype, y.shape, y.zero_point, std::move(storage)};
  if (rows.storage.dimensions == x.storage.dimensions) return from;
  network_.activations.push_back(std::move(rows));
  const size_t made = network_.activations.size() - 1;
  if (Status status = copy(name + "_rows", from, made); !status) return status.error();
  return made;
}

Status Tensors::copy(const std::string& name, size_t whole, size_t to) {
  const Result<size_t> from_rows = in_whole_rows(name, whole, to);
  if (!from_rows) return from_rows.error();
  const size_t from = *from_rows;
  const Activation& x = network_.activations[from];
  const Activation& y = network_.activations[to];
  const Result<CommonSteps> steps = common_steps(x.storage, y.storage, kCopyDimensions);
  if (!steps) {
    return Diagnostic{"GEN0021",
                      {},
                      name,
                      "no codelet of the library moves these elements",
                      print(x.storage) + " to " + print(y.storage),
                      {fmt::format("movements of at most {} dimensions", kCopyDimensions)},
                      "move them in several steps, with a layer that computes in between"};
  }
  network_.layers.push_back(copy_of(network_, machine_, name, from, to));
  return Done{};
}

}  // namespace covenant::compiler
