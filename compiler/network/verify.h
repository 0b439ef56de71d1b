/// Whether a network is whole: what a network must hold that somebody wrote by hand.
#pragma once

#include <vector>

#include "acg/base/result.h"
#include "acg/graph/graph.h"
#include "compiler/codelet/codelet.h"
#include "compiler/network/network.h"

namespace covenant::compiler {

/// Every tensor has a storage in the off-chip memory of `machine` that holds all of its elements, every boundary a
/// tensor of its shape. Errors: NET0002 (a storage that contradicts its tensor), NET0003 (a tensor that there is not,
/// or of another shape).
Status verify_storages(const Network& network, const acg::Machine& machine);

/// Every layer has a codelet that can be bound, which finds tensors and constants of its shapes and dtypes, and reads
/// what the host or layers before it have written; outputs are written. `declared`: codelets beside those of the
/// library. Precondition: verify_storages. Errors: NET0003, NET0004 (a tensor or constant that does not fit the
/// codelet), NET0005 (read before it is written, or never written), NET0020, and those of `codelet_of` and `bind`.
Status verify_layers(const Network& network, const acg::Machine& machine,
                     const std::vector<codelet::Codelet>& declared = {});

}  // namespace covenant::compiler
