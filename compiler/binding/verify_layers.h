/// Verifies the layers of a network, which may have been written by hand.
#pragma once

#include <vector>

#include "acg/base/result.h"
#include "compiler/codelet/codelet.h"
#include "compiler/network/network.h"

namespace covenant::compiler {

/// Checks that every layer has a codelet that can be bound, has tensors and constants of the right shapes and dtypes,
/// and reads only what the host or earlier layers have written; and that outputs are written. `declared`: codelets
/// besides those of the library. Precondition: verify_storages. Errors: NET0003, NET0004 (a tensor or constant that
/// does not fit the codelet), NET0005 (read before it is written, or never written), NET0008 (read and written by one
/// layer), NET0020, and those of `codelet_of` and `bind`.
Status verify_layers(const Network& network, const std::vector<codelet::Codelet>& declared = {});

/// Checks one layer in the same way, but not that its inputs are written. It need not be a layer of the network.
Status verify_layer(const Network& network, const NetworkLayer& layer,
                    const std::vector<codelet::Codelet>& declared = {});

}  // namespace covenant::compiler
