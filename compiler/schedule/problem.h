/// The tiling problem of a codelet: its loops, and the tiles of its operands as functions of tile sizes.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "acg/base/result.h"
#include "acg/base/rounding.h"
#include "acg/graph/graph.h"
#include "compiler/codelet/codelet.h"

namespace covenant::compiler {

struct TileLoop {
  std::string variable;
  int64_t trips = 1;
  bool splittable = true;  ///< false: one tile holds all trips
  /// True if the last tile may reach past the end: elements there are read as fill and never written. False for loops
  /// that index the last dimension of a tensor, whose end transfers cannot detect.
  bool may_overhang = true;
  /// True if a trip writes past its elements and later trips write over that: the tiles must come in the order of the
  /// codelet.
  bool in_order = false;
  bool is_one_by_one = false;  ///< tiles have one trip: the loops within them must run in order, too
  int64_t first = 0;           ///< first iteration: above 0 in the second part of a split loop

  bool can_be_split() const { return splittable && !in_order; }
  int64_t tiles(int64_t size) const { return ceil_divide(trips, size); }
};

/// Extent of a tile along one dimension: base + sum over loops of factor * (tile size of the loop - 1). A convolution's
/// input rows: 1 + stride * (rows - 1) + (kernel - 1).
struct Extent {
  int64_t base = 1;
  std::vector<std::pair<size_t, int64_t>> factors;  ///< loop, factor

  int64_t evaluate(const std::vector<int64_t>& tiles) const {
    int64_t sum = base;
    for (const auto& [loop, factor] : factors) sum += factor * (tiles[loop] - 1);
    return sum;
  }
};

enum class TileRole : uint8_t { kLoad, kStore, kIntermediate };

/// A local: a tile of an input or output, or a result that stays on chip.
struct TileBuffer {
  TileRole role = TileRole::kLoad;
  codelet::Reference reference;  ///< reference to the whole tensor, as in the compute
  DType dtype = DType::kI32;
  acg::MemoryId home;                   ///< memory of the tensor; unused for intermediates
  std::vector<acg::MemoryId> memories;  ///< scratchpads on the path, in the direction of the data
  std::vector<uint64_t> vector_shape;   ///< what a node reads or writes at once
  uint64_t row_alignment = 1;           ///< in bytes (codelet::row_alignment)
  std::vector<Extent> extents;
  std::vector<int64_t> tensor_shape;
  std::vector<int64_t> tensor_strides;  ///< in elements
  std::vector<int64_t> first;           ///< index of the first tile's first element
  std::vector<size_t> loops;            ///< loops that index it

  bool depends_on(size_t loop) const;
  /// Distance in bytes between the rows of a tile in `memory`, for rows of `bytes` bytes.
  uint64_t padded_row(const acg::Memory& memory, uint64_t bytes) const;
  /// Units that a tile takes in `memory`.
  uint64_t units(const acg::Memory& memory, const std::vector<int64_t>& tiles) const;
  std::vector<int64_t> shape(const std::vector<int64_t>& tiles) const;
};

/// One compute with its own loops, its reduction, inside of the shared ones.
struct TileNest {
  codelet::Compute compute;
  SourceLocation where;
  std::vector<size_t> loops;
  std::vector<size_t> operands;  ///< buffer of each operand; kNone for constants
  size_t destination = 0;        ///< index of the buffer
};
inline constexpr size_t kNone = static_cast<size_t>(-1);

/// A tiling problem. Loops 0..shared-1 are around all nests and index every destination.
struct TileProblem {
  std::string name;
  std::vector<TileLoop> loops;
  size_t shared = 0;
  std::vector<TileNest> nests;
  std::vector<TileBuffer> buffers;
};

/// Reductions that may be split over tiles: only those that their node resumes freely, or all that it can resume.
enum class SplitReductions : uint8_t { kFreeOnes, kAll };

/// `choice` numbers the ways to place temporaries (results that one node both writes and reads): 0 takes the last
/// memory that fits, 1 the one before it, and so on; past the end the first one. Errors: CDL0050 (the codelet is not a
/// nest of loops around nests of one compute each, or indices are not affine with positive factors), CDL0052 (no memory
/// of the machine lies between an operand and its node), CDL0054 (no path leads there from the tensor's memory).
Result<TileProblem> tile_problem(const codelet::Codelet& codelet, const acg::Machine& machine, size_t choice,
                                 SplitReductions reductions = SplitReductions::kFreeOnes);

}  // namespace covenant::compiler
