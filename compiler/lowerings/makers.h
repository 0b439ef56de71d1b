/// Makers of lowerings: what the chooser has to choose from.
#pragma once

#include <functional>
#include <vector>

#include "acg/graph/graph.h"
#include "compiler/lowerings/lowering.h"
#include "compiler/network/network.h"
#include "compiler/network/tensor_uses.h"

namespace covenant::compiler {

/// Lowerings of layer `index`, which is as its operator was bound; none if the maker knows none. Wanted storages may
/// follow the present ones, so lowerings are made anew when a tensor gets another storage. `uses` are the network's.
using LoweringMaker = std::function<std::vector<Lowering>(const Network& network, const TensorUses& uses, size_t index,
                                                          const acg::Machine& machine)>;
using LoweringMakers = std::vector<LoweringMaker>;

/// The layer as it was made (compiler/layers): "plain", or the name of the way in which it replaces another one.
std::vector<Lowering> plain_lowerings(const Network& network, const TensorUses& uses, size_t index,
                                      const acg::Machine& machine);

/// Those of conv_rows.h; where there are none, those of adjacent_outputs.h, which take more vectors of the input.
std::vector<Lowering> window_lowerings(const Network& network, const TensorUses& uses, size_t index,
                                       const acg::Machine& machine);

/// The compiler's own: plain_lowerings, window_lowerings, pixel_vector_lowerings (pixel_vectors.h).
const LoweringMakers& all_makers();

/// All lowerings that the makers know for a layer, in the order of makers.
std::vector<Lowering> lowerings_of(const LoweringMakers& makers, const Network& network, const TensorUses& uses,
                                   size_t index, const acg::Machine& machine);

}  // namespace covenant::compiler
