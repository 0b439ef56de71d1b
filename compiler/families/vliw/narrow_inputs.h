/// Stores images that the host writes with no more channels than products read.
#pragma once

#include "acg/graph/graph.h"
#include "compiler/network/network.h"

namespace covenant::compiler::vliw {

/// Stores an input of the network that only convolutions read, word by word, with its pixels adjacent, whole words
/// each: padding the channels to a vector would only add memory traffic. Other inputs are unchanged.
Network with_narrow_inputs(Network network, const acg::Machine& machine);

}  // namespace covenant::compiler::vliw
