/// Verifies the tensors of a network, which may have been written by hand.
#pragma once

#include "acg/base/result.h"
#include "acg/graph/graph.h"
#include "compiler/network/network.h"

namespace covenant::compiler {

/// Checks that every tensor has a storage in an off-chip memory of `machine` that holds all of its elements, and every
/// boundary a tensor of its shape. Errors: NET0002 (a storage that contradicts its tensor), NET0003 (a tensor that does
/// not exist, or has another shape).
Status verify_storages(const Network& network, const acg::Machine& machine);

/// Checks that layers have what their views are made of (compiler/network/views.h): tensors of the names and numbers of
/// dimensions that the form of their operation takes, and numbers of lanes and chunks. Precondition: verify_storages.
/// Error: NET0004.
Status verify_forms(const Network& network);

}  // namespace covenant::compiler
