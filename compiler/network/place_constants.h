/// Where the constants of a layer lie, on machines with several off-chip memories.
#pragma once

#include "acg/base/result.h"
#include "acg/graph/graph.h"
#include "compiler/codelet/codelet.h"
#include "compiler/network/network.h"

namespace covenant::compiler {

/// Pre: bound. Gives each constant of `layer` the first of the machine's off-chip memories, that of activations before
/// all others, from which a way leads to every node that reads it. What lies with the activations stays for `place`.
/// Error: CDL0054 (no memory reaches its readers).
Result<codelet::Codelet> place_constants(const codelet::Codelet& bound, const NetworkLayer& layer,
                                         const acg::Machine& machine);

}  // namespace covenant::compiler
