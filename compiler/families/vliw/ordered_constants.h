/// Pass that lays out constants in the order in which loops read them.
#pragma once

#include <map>
#include <string>

#include "compiler/codelet/codelet.h"
#include "compiler/network/constant_tensor.h"

namespace covenant::compiler::vliw {

/// Pre: tiled. Post: in each of the `constants` that is packed in matrices, the dimensions before these are sorted by
/// the loops that move them, that of the outermost loop first and those within a tile last: a tile is read sequentially
/// from its start. Same meaning.
codelet::Codelet with_ordered_constants(const codelet::Codelet& tiled,
                                        const std::map<std::string, ConstantTensor>& constants);

}  // namespace covenant::compiler::vliw
