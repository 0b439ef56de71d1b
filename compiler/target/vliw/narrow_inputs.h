/// Images that the host writes, with no more channels than products read.
#pragma once

#include "acg/graph/graph.h"
#include "compiler/network/network.h"

namespace covenant::compiler::vliw {

/// An input of the network that only convolutions read, word by word, has its pixels side by side, whole words each:
/// channels to fill a vector would be read from memory for nothing. Other inputs stay.
void use_narrow_inputs(Network& network, const acg::Machine& machine);

}  // namespace covenant::compiler::vliw
