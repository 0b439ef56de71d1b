/// Algorithm 1 of the Covenant paper, ValidTiling: the tile sizes that a codelet may have on a machine, limited by
/// memories alone.
///
/// The search of `compiler/schedule/search.h` requires more of a tile (loops and transfers of the hardware, rows of
/// whole units); this is the algorithm of the paper, for any codelet with affine indices and any machine, including
/// those that are only described.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "acg/base/result.h"
#include "acg/graph/graph.h"
#include "compiler/codelet/codelet.h"
#include "compiler/schedule/problem.h"
#include "compiler/schedule/search.h"

namespace covenant::compiler::testing {

/// One transfer of an operand or a result on the shortest path between its memory and its node.
struct TiledTransfer {
  std::string tensor;
  DType dtype = DType::kI32;
  std::optional<acg::MemoryId> source;  ///< none: a result's tile is allocated
  acg::MemoryId destination;
  bool allocates = true;  ///< false: into an existing tensor
  std::vector<Extent> extents;
};

struct TilingSpace {
  std::vector<TileLoop> loops;  ///< in the order of the codelet, outer before inner
  std::vector<TiledTransfer> transfers;
};

/// The loops and transfers of `codelet` on the nodes that `mapped` gives its computes. Two uses: `codelet` is `mapped`
/// itself, whose loops count chunks of padded dimensions; or it is the bound codelet before, whose loops count
/// elements. Pre: both have the same computes in one order. Errors: CDL0050 (a loop does not run from 0 by 1 to a
/// number, an index is not affine with positive factors), CDL0052 (no memory lies between a tensor and its node).
Result<TilingSpace> tiling_space(const codelet::Codelet& codelet, const codelet::Codelet& mapped,
                                 const acg::Machine& machine);

/// The corrected form. A tiling, one factor of every loop's trips, counts once, after all of its transfers: each moves
/// whole addressable elements (data_width x banks) at both ends, a tile includes its halo ((t - 1) * stride + kernel
/// for a convolution's input), and the tiles of each memory fit one buffer of it together. Factors from large to small,
/// the first loop outermost. Pass the space of a mapped codelet: its dimensions are padded to the granularity. Shown by
/// tests/pass/valid_tiling.
std::vector<Tiling> valid_tiling(const TilingSpace& space, const acg::Machine& machine);

/// As printed: `p` is added inside of the loop over transfers, so it may be there several times and before a later
/// transfer fails; the size of a transfer is the product of the factors of the loops that its offsets name; it aligns
/// to the source's data width alone; every transfer's destination is charged, and may be filled in all its buffers.
std::vector<Tiling> valid_tiling_as_printed(const TilingSpace& space, const acg::Machine& machine);

}  // namespace covenant::compiler::testing
