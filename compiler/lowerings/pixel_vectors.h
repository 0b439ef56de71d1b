/// Lowerings of layers that work element by element: vectors of several pixels, where images have few channels.
#pragma once

#include <vector>

#include "acg/graph/graph.h"
#include "compiler/lowerings/lowering.h"
#include "compiler/network/network.h"
#include "compiler/network/tensor_uses.h"

namespace covenant::compiler {

/// Lowerings of layer `index` whose rows are adjacent pixels with all of their channels: "vectors of 4 pixels". Where
/// all of its images have their channels and pixels side by side, such a layer need not see where a pixel ends: rows of
/// as many pixels as the lanes have room for, of so many that they are whole vectors, and of all pixels of a row.
/// Codelets of users, and those that read anything for a channel, have none; neither has a machine without engines that
/// move tiles, which has rows of vectors instead (compiler/codelet/vector_rows.h).
std::vector<Lowering> pixel_vector_lowerings(const Network& network, const TensorUses& uses, size_t index,
                                             const acg::Machine& machine);

/// The same layer with the other rows that it may have where its images lie: a row for each pixel, rows of several.
/// None for layers without such lowerings.
std::vector<NetworkLayer> with_other_rows(const Network& network, const NetworkLayer& layer,
                                          const acg::Machine& machine);

}  // namespace covenant::compiler
