/// Checks whether programs of packets can run on a machine.
#pragma once

#include "acg/base/result.h"
#include "acg/graph/graph.h"

namespace covenant::compiler::vliw {

/// Checks what every program needs, before one is made. Error: GEN0054 (packets that hold no instruction with a
/// constant of 32 bits, or register files of other sizes than the encodings of the Hexagon name).
Status check_runnable(const acg::Machine& machine);

}  // namespace covenant::compiler::vliw
