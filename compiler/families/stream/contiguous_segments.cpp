#include "compiler/families/stream/contiguous_segments.h"

#include <algorithm>

#include "acg/base/rounding.h"

namespace covenant::compiler::stream {
namespace {

/// Splits the last dimension: its largest part that divides it, is short enough and ends at an address boundary stays
/// in the segment; the rest is a loop.
bool split_last(TransferShape& shape, ContiguousSegments& segments, const SegmentLimits& limits) {
  const size_t last = shape.extents.size() - 1;
  const auto element = static_cast<int64_t>(segments.segment_bytes);
  for (int64_t part = static_cast<int64_t>(limits.segment_bytes) / element; part > 0; --part) {
    if (shape.extents[last] % part != 0 || part * element % static_cast<int64_t>(limits.unit_bytes) != 0) continue;
    shape.extents[last] /= part;
    shape.far[last] *= part;
    shape.near[last] *= part;
    segments.segment_bytes = static_cast<uint64_t>(part * element);
    return true;
  }
  return false;
}

/// Distance in bits between adjacent elements of a tile in `memory`, per dimension.
std::vector<int64_t> tile_strides(const TileBuffer& buffer, const acg::Memory& memory,
                                  const std::vector<int64_t>& extents) {
  const size_t rank = extents.size();
  std::vector<int64_t> strides(rank);
  auto stride = static_cast<int64_t>(bits(buffer.dtype));
  for (size_t d = rank; d-- > 0;) {
    strides[d] = stride;
    stride *= extents[d];
    // The row is complete: the next one starts at a unit of its own.
    if (rank - d == std::max<size_t>(1, buffer.vector_shape.size())) {
      const auto row_bytes = static_cast<uint64_t>(ceil_divide(stride, int64_t{8}));
      stride = static_cast<int64_t>(8 * buffer.padded_row(memory, row_bytes));
    }
  }
  return strides;
}

/// Converts strides from bits to bytes.
void count_bytes(TransferShape& shape, int64_t element_bits) {
  const size_t last = shape.extents.size() - 1;
  const auto in_bytes = [&](std::vector<int64_t>& strides, size_t d) {
    shape.has_whole_bytes = shape.has_whole_bytes && (strides[d] % 8 == 0 || shape.extents[d] == 1);
    strides[d] /= 8;
  };
  for (size_t d = 0; d < shape.extents.size(); ++d) {
    const bool is_dense = shape.far[d] == element_bits && shape.near[d] == element_bits;
    if (d == last && element_bits < 8 && is_dense) {
      shape.extents[d] = ceil_divide(shape.extents[d] * element_bits, int64_t{8});
      shape.far[d] = shape.near[d] = 1;
      continue;
    }
    in_bytes(shape.far, d);
    in_bytes(shape.near, d);
  }
}

}  // namespace

TransferShape transfer_shape(const TileProblem& problem, const TileBuffer& buffer, const acg::Machine& machine,
                             const acg::TransferEnds& ends, const Tiling& tiling) {
  const size_t rank = buffer.extents.size();
  TransferShape shape{buffer.shape(tiling), {}, {}, std::vector<bool>(rank)};
  shape.near = tile_strides(buffer, acg::get(machine, ends.near), shape.extents);
  if (ends.has_offchip) {
    const auto element = static_cast<int64_t>(bits(buffer.dtype));
    for (const int64_t elements : buffer.tensor_strides) shape.far.push_back(elements * element);
  } else {
    shape.far = tile_strides(buffer, acg::get(machine, ends.far), shape.extents);
  }
  std::vector<int64_t> reach;
  for (size_t i = 0; i < tiling.size(); ++i) reach.push_back(problem.loops[i].tiles(tiling[i]) * tiling[i]);
  for (size_t d = 0; d < rank; ++d) {
    const bool outside =
        buffer.first[d] < 0 || buffer.first[d] + buffer.extents[d].evaluate(reach) > buffer.tensor_shape[d];
    shape.limited[d] = outside && d + 1 < rank && ends.has_offchip;
    // A vector that is longer than its tensor ends with it.
    if (d + 1 == rank) shape.extents[d] = std::min(shape.extents[d], buffer.tensor_shape[d]);
  }
  count_bytes(shape, bits(buffer.dtype));
  return shape;
}

std::optional<ContiguousSegments> contiguous_segments(const TransferShape& shape, uint64_t element_bytes,
                                                      const SegmentLimits& limits) {
  ContiguousSegments segments{element_bytes, {}};
  TransferShape left = shape;
  // 1. The segment takes in dimensions from the inside while they are contiguous on both sides.
  size_t d = shape.extents.size();
  for (; d-- > 0;) {
    const bool is_last = d + 1 == shape.extents.size();
    const auto length = static_cast<int64_t>(segments.segment_bytes);
    const bool follows = shape.extents[d] == 1 || (shape.far[d] == length && shape.near[d] == length);
    const uint64_t longer = segments.segment_bytes * static_cast<uint64_t>(shape.extents[d]);
    if (is_last && longer > limits.segment_bytes) {
      if (!follows || !split_last(left, segments, limits)) return std::nullopt;
      break;
    }
    if (shape.limited[d] || !follows || longer > limits.segment_bytes) break;
    segments.segment_bytes = longer;
  }
  // 2. The remaining dimensions become loops; neighbours are joined if one continues where the other ends.
  std::vector<bool> is_limited;
  size_t outermost = 0;  // dimension of the loop that a neighbour may join
  for (++d; d-- > 0;) {
    if (left.extents[d] == 1 && !left.limited[d]) continue;
    const bool joins = !segments.loops.empty() && !left.limited[d] && !is_limited.back() &&
                       left.far[d] == left.far[outermost] * left.extents[outermost] &&
                       left.near[d] == left.near[outermost] * left.extents[outermost] &&
                       segments.loops.back().trips * left.extents[d] <= limits.trips;
    if (joins) {
      segments.loops.back().trips *= left.extents[d];
    } else {
      segments.loops.push_back({d, left.extents[d]});
      is_limited.push_back(left.limited[d]);
    }
    if (left.extents[d] > limits.trips) return std::nullopt;
    outermost = d;
  }
  if (segments.loops.size() > limits.loops) return std::nullopt;
  if (std::count(is_limited.begin(), is_limited.end(), true) > 2) return std::nullopt;
  std::reverse(segments.loops.begin(), segments.loops.end());
  return segments;
}

}  // namespace covenant::compiler::stream
