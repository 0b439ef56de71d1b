/// Checks that codelets of users and of lowerings read as matrices only what lies so in memory.
#pragma once

#include "acg/base/result.h"
#include "acg/graph/graph.h"
#include "compiler/codelet/codelet.h"
#include "compiler/network/network.h"

namespace covenant::compiler {

/// The pass `pack` puts constants into the order in which a node reads matrices. It cannot do so with a tensor between
/// layers, which lies as others write it: where that is another order, the node would read other elements.
/// Precondition: bound, with the layer's views. Error: CDL0044.
Status verify_matrices(const codelet::Codelet& bound, const NetworkLayer& layer, const acg::Machine& machine);

}  // namespace covenant::compiler
