/// Pass that lays out constants tile by tile.
#pragma once

#include <map>
#include <string>

#include "compiler/codelet/codelet.h"
#include "compiler/network/constant_tensor.h"

namespace covenant::compiler::vliw {

/// Pre: tiled. Post: for each of the `constants` that is packed in matrices, a dimension of which all tiles take the
/// same part is split into two: the number of the tile, and the index within a tile. Loops run from 0 by 1. Same
/// meaning.
codelet::Codelet with_divided_constants(const codelet::Codelet& tiled,
                                        const std::map<std::string, ConstantTensor>& constants);

}  // namespace covenant::compiler::vliw
