/// Lower bound on the cycles of a layer of matrix products under any schedule, from its sizes and the machine's
/// attributes alone.
#pragma once

#include <cstdint>
#include <string>

#include "acg/graph/graph.h"

namespace covenant::compiler::stream {

/// Work and data of a layer, without padding.
struct Volumes {
  uint64_t macs = 0;
  uint64_t inputs = 0;   ///< elements, one byte each
  uint64_t weights = 0;  ///< elements, one byte each
  uint64_t outputs = 0;  ///< elements, four bytes each
};

struct Bound {
  uint64_t cycles = 0;   ///< `busiest` + `fixed`
  uint64_t busiest = 0;  ///< cycles of the busiest resource
  uint64_t fixed = 0;    ///< cycles that cannot overlap: see below
  std::string
      limited_by;  ///< "compute", "lanes", an edge ("DRAM->WBUF"), a shared bus's name, or "fixed" if that is most
};

/// The maximum over resources of: multiply-accumulates (without padding) over rows * columns; bytes of inputs, weights
/// and outputs, each moved once, over the bandwidth of the edge that carries them, summed over all edges that share a
/// bus (only one of them moves in a cycle: dma.md); outputs over lanes, where sums leave the array through SIMD lanes.
/// Fixed part: fetching `words` (control.md), one off-chip read and one write (dma.md), one pass through the array
/// (systolic_array.md). Precondition: the machine has a systolic array and a path from it to off-chip memory.
Bound bound_of(const Volumes& layer, const acg::Machine& machine, uint64_t words);

}  // namespace covenant::compiler::stream
