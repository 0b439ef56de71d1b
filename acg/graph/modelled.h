/// May compiler and model take this machine at its word?
#pragma once

#include "acg/base/result.h"
#include "acg/graph/graph.h"

namespace covenant::acg {

/// The language says more than code generation and the cycle model honour: latencies of edges, buses
/// other than those of transfers, accesses of
/// memories, occupancy of capabilities, units that start when their operands arrive. A machine that says one of these
/// is shown and asked, but neither compiled for nor simulated: its cycles would be wrong without a word. Error:
/// ACG0051. Precondition: the machine has passed `validate`.
Status check_modelled(const Machine& machine);
/// Memories whose elements are parts of a byte (`data_width` 1, 2 or 4) hold no element type that programs have:
/// refused with ACG0051. Apart from `check_modelled`, so that a compiler can name the first layer that does not fit
/// before.
Status check_whole_bytes(const Machine& machine);

}  // namespace covenant::acg
