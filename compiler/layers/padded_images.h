/// Adds padding around images in memory, for machines on which nothing fills what is outside of a tensor.
#pragma once

#include "acg/graph/graph.h"
#include "compiler/network/network.h"

namespace covenant::compiler {

/// Gives every image that windows reach past a storage with room for them, which holds the zero point before the first
/// layer runs. An image that cannot have this, since other data is around it or a layer takes it as rows, is copied
/// into one that has; so is an image around which a layer needs another value. A machine with engines that move tiles
/// keeps its storages, since such an engine fills.
Network with_padded_images(Network network, const acg::Machine& machine);

}  // namespace covenant::compiler
