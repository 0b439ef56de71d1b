/// Checks lowerings without knowing who made them.
#pragma once

#include <vector>

#include "acg/base/result.h"
#include "acg/graph/graph.h"
#include "compiler/codelet/codelet.h"
#include "compiler/lowerings/lowering.h"
#include "compiler/network/network.h"

namespace covenant::compiler {

/// Checks that a lowering fits layer `index` of a network, which is as its operator was bound: wanted storages hold
/// their tensors, packings take constants of the layer, and the codelet binds to both. What it computes is checked by
/// compiler/meaning. `declared`: codelets besides those of the library. Errors, each about the layer: NET0002 (a
/// storage that contradicts its tensor), NET0004 (a tensor or constant that does not fit the codelet), NET0007 (a
/// storage or a packing that the layer has no use for), NET0020, and those of `codelet_of` and `bind`.
Status verify_lowering(const Lowering& lowering, const Network& network, size_t index, const acg::Machine& machine,
                       const std::vector<codelet::Codelet>& declared = {});

}  // namespace covenant::compiler
