/// The movement of a tile by a DMA engine: segments of bytes that are contiguous in both memories, inside of a few
/// loops.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "acg/graph/queries.h"
#include "compiler/schedule/cost_model.h"

namespace covenant::compiler::stream {

/// One loop of a transfer: `trips` steps through `dimension` of the tensor.
struct SegmentLoop {
  size_t dimension = 0;
  int64_t trips = 1;
  bool operator==(const SegmentLoop&) const = default;
};

struct ContiguousSegments {
  uint64_t segment_bytes = 0;
  std::vector<SegmentLoop> loops;  ///< outermost first
};

/// A tile: elements in each dimension, distances in bytes between them in both memories, and the dimensions along which
/// the tile may lie outside of its tensor.
struct TransferShape {
  std::vector<int64_t> extents;
  std::vector<int64_t> far;
  std::vector<int64_t> near;
  std::vector<bool> limited;
  /// False if a part of the tile begins within a byte. Elements of less than a byte are counted in bytes along the last
  /// dimension, which they fill from its first index on.
  bool has_whole_bytes = true;
};

/// The shape of one tile of a buffer as it moves between two memories on its path.
TransferShape transfer_shape(const TileProblem& problem, const TileBuffer& buffer, const acg::Machine& machine,
                             const acg::TransferEnds& ends, const Tiling& tiling);

/// Limits of what the words of a transfer can express.
struct SegmentLimits {
  uint64_t segment_bytes = 0;
  size_t loops = 0;
  int64_t trips = 65536;    ///< trips of one loop
  uint64_t unit_bytes = 1;  ///< bytes of a unit of the near memory: segments begin at its addresses
};

/// Inner dimensions that are contiguous on both sides join the segment within the limits; of a last dimension that is
/// too long, the largest part that divides it. Dimensions with limits keep a loop of their own. Nothing if this takes
/// more loops or iterations than allowed, or if more than two dimensions have limits (the hardware compares rows and
/// columns only).
std::optional<ContiguousSegments> contiguous_segments(const TransferShape& shape, uint64_t element_bytes,
                                                      const SegmentLimits& limits);

}  // namespace covenant::compiler::stream
