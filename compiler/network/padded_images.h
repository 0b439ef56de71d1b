/// Images with padding around them in memory, for machines on which nothing fills what lies outside of a tensor.
#pragma once

#include "acg/graph/graph.h"
#include "compiler/network/network.h"

namespace covenant::compiler {

/// Gives every image whose windows reach past it, and that convolutions and pools alone touch, a storage with room for
/// them, which holds the zero point before the first layer runs. A machine with engines that move tiles keeps its
/// storages: such an engine fills. What another layer reads lane by lane keeps its own, too.
void pad_images(Network& network, const acg::Machine& machine);

/// True if the machine has an engine that moves tiles between memories.
bool has_transfer_engines(const acg::Machine& machine);

}  // namespace covenant::compiler
