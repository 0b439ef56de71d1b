/// How a DMA engine moves a tile: runs of bytes that follow one another in both memories, inside of a few loops.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace covenant::compiler {

/// One loop of a transfer; it steps through `trips` elements of `dimension` of the tensor.
struct RunLoop {
  size_t dimension = 0;
  int64_t trips = 1;
  bool operator==(const RunLoop&) const = default;
};

struct TransferRuns {
  uint64_t run_bytes = 0;
  std::vector<RunLoop> loops;  ///< outermost first
};

/// A tile of `tile_shape` elements out of a row-major tensor of `tensor_shape`; `limited` dimensions may lie outside of
/// the tensor and keep a loop of their own. Inner dimensions that are complete join their outer neighbour, as long as a
/// run has at most `max_run_bytes`. Nothing if this takes more than `max_loops` loops, or a limited dimension is none
/// of the two innermost loops (the hardware compares rows and columns with limits, not planes).
std::optional<TransferRuns> transfer_runs(const std::vector<int64_t>& tensor_shape,
                                          const std::vector<int64_t>& tile_shape, const std::vector<bool>& limited,
                                          uint64_t element_bytes, uint64_t max_run_bytes, size_t max_loops);

}  // namespace covenant::compiler
