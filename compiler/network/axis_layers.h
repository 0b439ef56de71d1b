/// Layers that work along one dimension, with the lanes along another: the parts of a softmax.
#pragma once

#include <string>
#include <vector>

#include "acg/base/result.h"
#include "compiler/network/elementwise_layers.h"
#include "compiler/network/network.h"
#include "compiler/srdfg/graph.h"

namespace covenant::compiler {

bool is_along_axis(const std::string& operation);

/// The order of dimensions in which such a node has its tensors: the one that it runs along last but one, and last the
/// largest of the others, of which the lanes take the elements. `shape` is that of x, of two dimensions or more.
std::vector<size_t> axis_order(const std::vector<uint64_t>& shape, size_t axis);
/// The same of a layer that was made of such a node.
std::vector<size_t> axis_order(const Network& network, const NetworkLayer& layer);

/// Says how many lanes a layer fills in a row of its activations: whole vectors, if there is room for them in all of
/// them; what the last ones make is of no use to anybody.
void fill_lanes(const Network& network, const acg::Machine& machine, NetworkLayer& layer);

/// The view that such a layer has of an activation with this storage: dimensions in its order, and as many lanes as it
/// takes.
Storage along_axis(const Network& network, const NetworkLayer& layer, const Storage& storage);

/// Gives `layer` the params and tensors of such a node, `order` that of its dimensions; `bind_activation` as of
/// bind_elementwise.
Status bind_along_axis(const srdfg::Graph& graph, const srdfg::Node& node, const std::vector<size_t>& order,
                       NetworkLayer& layer, const ActivationBinder& bind_activation);

}  // namespace covenant::compiler
