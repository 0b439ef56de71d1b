/// Splits the loops of a layer to suit the storage of its tensors.
#pragma once

#include "compiler/codelet/codelet.h"
#include "compiler/network/network.h"

namespace covenant::compiler {

/// Pre: bound. If a view of the layer has a dimension of several steps (all pixels of an image in one, with padding
/// after each row), the loop over it and all dimensions that it indexes are split likewise. Loops that cannot be split
/// stay.
codelet::Codelet with_split_views(const codelet::Codelet& bound, const NetworkLayer& layer);

}  // namespace covenant::compiler
