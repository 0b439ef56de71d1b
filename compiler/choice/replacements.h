/// Decides which layers are done by others, by cost: copies by products with permutations
/// (compiler/layers/transposed_copies.h), depthwise convolutions in blocks of pixels (compiler/layers/pixel_blocks.h).
#pragma once

#include <string>
#include <vector>

#include "compiler/codelet/codelet.h"
#include "compiler/lowerings/makers.h"
#include "compiler/network/network.h"
#include "compiler/schedule/layer_search.h"

namespace covenant::compiler {

/// The network with other layers in the place of each one for which they take fewer cycles, as predicted; of several
/// ways the best, among equals the first. `wishes[i]`: the wanted lowering of layer i, or empty. Blocks of pixels are
/// lowerings with a name; a layer that has another wanted one stays. `makers`: of lowerings, with the best of which the
/// others are compared. `declared`: codelets besides those of the library.
Network with_replacements(const Network& network, const std::vector<std::string>& wishes, LayerSearch& search,
                          const LoweringMakers& makers, const std::vector<codelet::Codelet>& declared = {});

}  // namespace covenant::compiler
