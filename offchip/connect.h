/// Connects the ports of a machine with its off-chip memories.
#pragma once

#include "acg/graph/graph.h"
#include "offchip/make_model.h"

namespace covenant::offchip {

/// The machine's clock, and a port for each engine by its number, then one for instruction fetch
/// (docs/reference/off-chip-port.md). Engines that reach no off-chip memory leave theirs unused; of a machine that
/// issues packets the port of acg::core_engine is the one by which lines come.
Connection connection_of(const acg::Machine& machine);

}  // namespace covenant::offchip
