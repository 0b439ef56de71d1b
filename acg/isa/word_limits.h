/// The largest numbers that a machine's words can say: what programs for it must keep to.
#pragma once

#include <cstdint>

#include "acg/graph/graph.h"

namespace covenant::acg {

/// Each is what the narrowest field for it holds, and at most what the units hold (docs/reference/genesys-isa.md). Of
/// an operation that no mnemonic says, the latter.
struct WordLimits {
  int64_t tile_trips = 0;   ///< iterations of a loop of a sequencer
  int64_t walk_trips = 0;   ///< of an inner loop of an address generator: of a transfer or of a pass
  int64_t nest_trips = 0;   ///< of a level of a SIMD array's nest
  int64_t run_bytes = 0;    ///< of a load or store, moved without a step of an inner loop
  int64_t axis_length = 0;  ///< rows or columns of a tensor that a transfer compares with
  int64_t slots = 0;        ///< channels of a memory
};

WordLimits word_limits(const Machine& machine);

}  // namespace covenant::acg
