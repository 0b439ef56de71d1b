/// Places the constants of a layer, on machines with several off-chip memories.
#pragma once

#include "acg/base/result.h"
#include "acg/graph/graph.h"
#include "compiler/codelet/codelet.h"
#include "compiler/network/network.h"

namespace covenant::compiler {

/// Pre: bound. Places each constant of `layer` in the first off-chip memory, that of activations before all others,
/// from which a path leads to every node that reads it. Constants in the memory of activations are left to `place`.
/// Error: CDL0054 (no memory reaches its readers).
Result<codelet::Codelet> place_constants(const codelet::Codelet& bound, const NetworkLayer& layer,
                                         const acg::Machine& machine);

}  // namespace covenant::compiler
