/// Loops of a layer for the storage of its tensors.
#pragma once

#include "compiler/codelet/codelet.h"
#include "compiler/network/network.h"

namespace covenant::compiler {

/// Pre: bound. Where a view of the layer goes through a dimension by several steps (all pixels of an image in one, with
/// padding after each row), the loop over it and all dimensions that it indexes become as many. What cannot be split
/// stays.
codelet::Codelet with_split_views(const codelet::Codelet& bound, const NetworkLayer& layer);

}  // namespace covenant::compiler
