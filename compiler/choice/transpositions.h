/// Decides which copies are done by products with permutations (compiler/layers/transposed_copies.h), by cost.
#pragma once

#include <vector>

#include "compiler/codelet/codelet.h"
#include "compiler/network/network.h"
#include "compiler/schedule/layer_search.h"

namespace covenant::compiler {

/// The network with other layers in the place of each copy for which they take fewer cycles, as predicted; of several
/// run lengths the best, among equals the shortest. `declared`: codelets besides those of the library.
Network with_transpositions(const Network& network, LayerSearch& search,
                            const std::vector<codelet::Codelet>& declared = {});

}  // namespace covenant::compiler
