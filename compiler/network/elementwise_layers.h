/// Layers that work element by element: add, mul, sub, div, max, min, lookup, clip.
#pragma once

#include <functional>
#include <string>

#include "acg/base/result.h"
#include "acg/graph/graph.h"
#include "compiler/network/network.h"
#include "compiler/srdfg/graph.h"

namespace covenant::compiler {

/// Lets a tensor of a layer's codelet stand for a value.
using ActivationBinder = std::function<Status(const std::string& tensor, srdfg::ValueId value)>;

bool is_elementwise(const srdfg::Node& node);

/// Is the larger or the smaller one of two values the one whose stored value is, and does the machine compare these?
bool compares_stored(const srdfg::Graph& graph, const srdfg::Node& node, const acg::Machine& machine);

/// Makes such a layer one on stored values.
void compare_stored(NetworkLayer& layer);

/// Gives `layer` the params and tensors of such a node; `bind_activation` says that a tensor of its codelet stands for
/// a value, the inputs first. Lanes take the elements of dimension `lanes`. Precondition: is_elementwise.
Status bind_elementwise(const srdfg::Graph& graph, const srdfg::Node& node, size_t lanes, const acg::Machine& machine,
                        NetworkLayer& layer, const ActivationBinder& bind_activation);

}  // namespace covenant::compiler
