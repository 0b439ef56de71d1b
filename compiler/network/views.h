/// How the layers of a network see its tensors.
#pragma once

#include "acg/graph/graph.h"
#include "compiler/network/network.h"

namespace covenant::compiler {

/// Sets `views`, the views that a layer has of its activations. If a layer that works lane by lane needs a view of one
/// of them, it gets views of all.
void set_views(const Network& network, NetworkLayer& layer, const acg::Machine& machine);

}  // namespace covenant::compiler
