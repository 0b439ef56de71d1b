#include "compiler/families/stream/dma.h"

#include <algorithm>
#include <utility>

#include "acg/base/check.h"
#include "acg/base/rounding.h"
#include "acg/isa/word_limits.h"
#include "compiler/families/stream/address_generator.h"
#include "compiler/families/stream/operand_values.h"

namespace covenant::compiler::stream {
namespace {

using acg::AddressOperand;
using acg::Axis;
using acg::Operation;
using codelet::Reference;

/// A tile at one end of a transfer: in a tensor, or in a local.
struct End {
  const Tensor* tensor = nullptr;
  const Local* local = nullptr;
  std::vector<codelet::Expression> indices;

  const Layout& layout() const { return tensor != nullptr ? tensor->layout : local->layout; }
  uint32_t slot() const { return tensor != nullptr ? 0 : local->slot; }
  /// Address in bits; for a local within one buffer.
  Affine address(const std::vector<LoopRange>& loops) const {
    Affine result = stream::address(layout(), indices, loops);
    result.base += tensor != nullptr ? static_cast<int64_t>(tensor->first_bit) : local->first_byte * 8;
    return result;
  }
};

/// Both ends of a transfer as its engine sees them (acg::TransferEnds), and its direction.
struct Ends {
  bool is_load = true;
  End far;
  End near;
};

/// One dimension of the tile: distances in bytes between adjacent indices on both sides.
struct Dimension {
  int64_t extent = 1;
  int64_t far = 0;
  int64_t near = 0;
  std::optional<Axis> axis;  ///< set if some tile leaves the tensor in this dimension
  Affine origin;             ///< index of the tile's first element, if it has an axis
  int64_t limit = 0;
};

struct Shape {
  int64_t run = 0;  ///< in bytes
  std::vector<Dimension> dimensions;
};

Ends ends_of(const BlockPlan& plan, const codelet::Transfer& transfer) {
  const auto end = [&](const Reference& reference) {
    const auto tensor = plan.tensors.find(reference.surrogate);
    if (tensor != plan.tensors.end()) return End{&tensor->second, nullptr, reference.indices};
    return End{nullptr, &plan.locals.at(reference.surrogate), reference.indices};
  };
  const End source = end(std::get<Reference>(transfer.source));
  const End destination = end(transfer.destination ? *transfer.destination : Reference{transfer.local, {}});
  if (destination.tensor != nullptr) return {false, destination, source};
  return {true, source, destination};
}

Diagnostic leaves_tensor(const std::string& what) {
  return Diagnostic{"GEN0007",
                    {},
                    "",
                    what,
                    "",
                    {"at most two dimensions, not the last one"},
                    "choose tiles that divide the tensor in all but two dimensions"};
}

/// Converts strides from bits to bytes. Elements of less than a byte are counted in bytes along the last dimension.
Status count_bytes(Dimension& dimension, int64_t element_bits, bool is_last) {
  const bool is_dense = dimension.far == element_bits && dimension.near == element_bits;
  if (is_last && element_bits < 8 && is_dense) {
    dimension.extent = ceil_divide(dimension.extent * element_bits, int64_t{8});
    dimension.far = dimension.near = 1;
    return Done{};
  }
  if (dimension.extent == 1 && !dimension.axis) {
    dimension.far = dimension.near = 0;
    return Done{};
  }
  const Result<int64_t> far = in_units(dimension.far, 8);
  if (!far) return far.error();
  const Result<int64_t> near = in_units(dimension.near, 8);
  if (!near) return near.error();
  dimension.far = *far;
  dimension.near = *near;
  return Done{};
}

/// The dimensions of the tile; marks those in which a tile leaves the tensor.
Result<Shape> measure(const Ends& ends, const codelet::Transfer& transfer, const std::vector<LoopRange>& loops,
                      int64_t most_rows) {
  const std::vector<int64_t> tile = numbers(transfer.shape);
  const Layout& far = ends.far.layout();
  check(tile.size() == far.shape.size() && tile.size() == ends.near.layout().shape.size(),
        "both ends of a transfer have its dimensions");
  Shape shape;
  shape.run = std::max<int64_t>(1, far.element_bits / 8);
  std::vector<size_t> leaving;
  for (size_t i = 0; i < tile.size(); ++i) {
    const int64_t near_stride = ends.near.layout().strides[i];
    Dimension dimension{tile[i], far.strides[i], near_stride, {}, {}, 0};
    dimension.origin =
        ends.far.indices.empty() ? Affine{0, std::vector<int64_t>(loops.size())} : affine(ends.far.indices[i], loops);
    const Bounds reach = bounds(dimension.origin, loops);
    // A local holds all tiles that are taken from it, except the parts that no transfer has filled.
    const int64_t length = ends.far.tensor == nullptr && i + 1 == tile.size() ? ends.far.local->filled : far.shape[i];
    const bool leaves = reach.lowest < 0 || reach.highest + tile[i] > length;
    if (leaves && i + 1 == tile.size()) {
      if (reach.lowest < 0) return leaves_tensor("a tile begins before the first element of the last dimension");
      if (!ends.is_load && reach.highest != 0) {
        return leaves_tensor("one of several tiles would be stored past the last element of the last dimension");
      }
      // Data past the last channel is multiplied by zero weights: a single tile stops there, one of several reads on.
      if (reach.highest == 0) dimension.extent = std::min(tile[i], length);
    } else if (leaves) {
      leaving.push_back(i);
      dimension.limit = length;
    }
    const Status counted = count_bytes(dimension, far.element_bits, i + 1 == tile.size());
    if (!counted) return counted.error();
    shape.dimensions.push_back(dimension);
  }
  if (leaving.size() > 2) return leaves_tensor("a tile leaves its tensor in more than two dimensions");
  for (size_t i = 0; i < leaving.size(); ++i) {
    Dimension& dimension = shape.dimensions[leaving[i]];
    dimension.axis = i + 1 == leaving.size() && leaving.size() == 2 ? Axis::kColumn : Axis::kRow;
    if (dimension.limit > most_rows) {
      return Diagnostic{"GEN0009",
                        {},
                        "",
                        "a tensor that needs padding is too long in one dimension",
                        std::to_string(dimension.limit),
                        {"at most " + std::to_string(most_rows)},
                        "split the tensor"};
    }
  }
  return shape;
}

/// Moves the innermost dimensions into the run while they are contiguous on both sides; splits a run that is too long.
void absorb_runs(Shape& shape, int64_t most_bytes) {
  while (!shape.dimensions.empty()) {
    const Dimension inner = shape.dimensions.back();
    const bool is_contiguous = inner.extent == 1 || (inner.far == shape.run && inner.near == shape.run);
    if (inner.axis || !is_contiguous || shape.run * inner.extent > most_bytes) break;
    shape.run *= inner.extent;
    shape.dimensions.pop_back();
  }
}

/// Splits a contiguous dimension that is too long for one run: its largest part that divides it and is whole units
/// stays in the run.
void split_long_run(Shape& shape, int64_t unit_bytes, int64_t most_bytes) {
  if (shape.dimensions.empty()) return;
  Dimension& inner = shape.dimensions.back();
  if (inner.axis || inner.far != shape.run || inner.near != shape.run) return;
  for (int64_t part = most_bytes / shape.run; part > 1; --part) {
    if (inner.extent % part != 0 || shape.run * part % unit_bytes != 0) continue;
    inner.extent /= part;
    inner.far *= part;
    inner.near *= part;
    shape.run *= part;
    return;
  }
}

/// Joins adjacent dimensions that one loop can count, that is, with the same distance on both sides.
void join_dimensions(Shape& shape, int64_t most_trips) {
  std::vector<Dimension> joined;
  for (const Dimension& inner : shape.dimensions) {
    if (inner.extent == 1 && !inner.axis) continue;
    Dimension* outer = joined.empty() ? nullptr : &joined.back();
    if (outer != nullptr && !outer->axis && !inner.axis && outer->far == inner.far * inner.extent &&
        outer->near == inner.near * inner.extent && outer->extent * inner.extent <= most_trips) {
      outer->extent *= inner.extent;
      outer->far = inner.far;
      outer->near = inner.near;
    } else {
      joined.push_back(inner);
    }
  }
  shape.dimensions = std::move(joined);
}

/// The pattern that repeats the element `fill`, as long as words can express.
uint32_t pattern(int64_t fill, DType dtype, uint32_t pattern_bytes) {
  const uint32_t width = bits(dtype);
  if (width >= 32) return 0;  // always so: checked by check_fill
  const uint32_t element = static_cast<uint32_t>(fill) & ((uint32_t{1} << width) - 1);
  uint32_t result = 0;
  for (uint32_t bit = 0; bit < 8 * pattern_bytes; bit += width) result |= element << bit;
  return result;
}

void add_limits(Command& command, const Ends& ends, const Shape& shape, uint32_t fill_bytes) {
  for (const Axis axis : {Axis::kRow, Axis::kColumn}) {
    SettingValue limit{};
    for (const Dimension& dimension : shape.dimensions) {
      if (dimension.axis != axis) continue;
      limit[0] = static_cast<int32_t>(dimension.limit);
      if (ends.is_load) {
        SettingValue fill{};
        fill[0] = static_cast<int32_t>(pattern(ends.far.tensor->fill, ends.far.tensor->dtype, fill_bytes));
        command.needs[{Operation::kFill, 0, 0}] = fill;
      }
    }
    command.needs[{Operation::kLimit, static_cast<int32_t>(axis), 0}] = limit;
  }
}

Status check_fill(const Ends& ends, const Shape& shape, uint32_t fill_bytes) {
  const bool has_axis =
      std::any_of(shape.dimensions.begin(), shape.dimensions.end(), [](const auto& d) { return d.axis.has_value(); });
  if (!ends.is_load || !has_axis) return Done{};
  const int64_t fill = ends.far.tensor->fill;
  if (ends.far.layout().element_bits <= 8 * int64_t{fill_bytes} || fill == 0) return Done{};
  return Diagnostic{"GEN0008", {},          "", "padding of elements of several bytes must be 0", std::to_string(fill),
                    {"0"},     "pad with 0"};
}

/// The loops of the transfer, outermost first. If rows and columns have limits, level 15 counts rows, level 16 columns.
std::vector<Dimension> in_level_order(const Shape& shape) {
  std::vector<Dimension> free;
  std::optional<Dimension> row;
  std::optional<Dimension> column;
  for (const Dimension& dimension : shape.dimensions) {
    if (dimension.axis == Axis::kRow) {
      row = dimension;
    } else if (dimension.axis == Axis::kColumn) {
      column = dimension;
    } else if (dimension.extent > 1) {
      free.push_back(dimension);
    }
  }
  const auto take = [&] {
    Dimension last;
    if (!free.empty()) {
      last = free.back();
      free.pop_back();
    }
    return last;
  };
  if (!column) column = take();
  if (!row) row = take();
  free.push_back(*row);
  free.push_back(*column);
  return free;
}

}  // namespace

Result<std::vector<Step>> dma_steps(const BlockPlan& plan, const acg::Machine& machine,
                                    const std::vector<OpenLoop>& open, const codelet::Transfer& transfer) {
  const Ends ends = ends_of(plan, transfer);
  const std::vector<LoopRange> loops = ranges(open);
  const int64_t unit_bytes = static_cast<int64_t>(acg::get(machine, ends.near.local->memory).unit_bytes());
  const acg::WordLimits limits = acg::word_limits(machine);
  Result<Shape> measured = measure(ends, transfer, loops, limits.axis_length);
  if (!measured) return measured.error();
  Shape shape = *measured;
  const uint32_t fill_bytes = acg::fill_bytes(machine);
  if (Status status = check_fill(ends, shape, fill_bytes); !status) return status.error();
  absorb_runs(shape, limits.run_bytes);
  split_long_run(shape, unit_bytes, limits.run_bytes);
  join_dimensions(shape, limits.walk_trips);

  WalkedCommand walked;
  const char* const run = "run_last";
  walked.command.word = instruction(ends.is_load ? Operation::kLoad : Operation::kStore, {{run, shape.run - 1}});
  add_limits(walked.command, ends, shape, fill_bytes);

  Result<Affine> near_units = in_units(ends.near.address(loops), 8 * unit_bytes);
  if (!near_units) return near_units.error();
  Result<Affine> far_bytes = in_units(ends.far.address(loops), 8);
  if (!far_bytes) return far_bytes.error();
  walked.walks = {{AddressOperand::kOffchip, ends.far.slot(), *far_bytes},
                  {AddressOperand::kOnchip, ends.near.slot(), *near_units}};

  const std::vector<Dimension> levels = in_level_order(shape);
  std::vector<size_t> axes;  // dimensions of rows and columns
  for (size_t i = 0; i < levels.size(); ++i) {
    if (!levels[i].axis) continue;
    const bool is_row = levels[i].axis == Axis::kRow;
    walked.walks.push_back({is_row ? AddressOperand::kRow : AddressOperand::kColumn, 0, levels[i].origin});
    axes.push_back(i);
  }
  for (size_t i = 0; i < levels.size(); ++i) {
    Result<int64_t> step = in_units(levels[i].extent > 1 ? 8 * levels[i].near : 0, 8 * unit_bytes);
    if (!step) return step.error();
    NestLoop loop{static_cast<uint64_t>(levels[i].extent), false, {levels[i].far, *step}};
    loop.strides.resize(walked.walks.size());
    walked.nest.push_back(loop);
  }
  while (walked.nest.size() < acg::kTransferLoops) {
    walked.nest.insert(walked.nest.begin(), NestLoop{1, false, std::vector<int64_t>(walked.walks.size())});
  }
  return walk(walked, open, acg::kFirstTransferLoop, acg::kTransferLoops, limits.walk_trips);
}

}  // namespace covenant::compiler::stream
