/// Views of layers that work along one dimension, with the lanes along another: the parts of a softmax.
#pragma once

#include <vector>

#include "acg/graph/graph.h"
#include "compiler/network/network.h"

namespace covenant::compiler {

/// The order of dimensions of such a node's tensors: its own axis second to last, and last the largest of the others,
/// whose elements the lanes take. `shape` is that of x and has at least two dimensions.
std::vector<size_t> axis_order(const std::vector<uint64_t>& shape, size_t axis);
/// The same for a layer that was made from such a node.
std::vector<size_t> axis_order(const Network& network, const NetworkLayer& layer);

/// Sets how many lanes a layer fills in a row of its activations: whole vectors, if all activations have room for them.
/// The results of lanes past the last element are not used.
void fill_lanes(const Network& network, const acg::Machine& machine, NetworkLayer& layer);

/// The view that such a layer has of an activation with this storage: dimensions in its order, and as many lanes as it
/// takes.
Storage along_axis(const Network& network, const NetworkLayer& layer, const Storage& storage);

}  // namespace covenant::compiler
