/// Layers that work element by element: add, mul, sub, div, max, min, lookup, clip.
#pragma once

#include <functional>
#include <string>

#include "acg/base/result.h"
#include "acg/graph/graph.h"
#include "compiler/network/network.h"
#include "compiler/srdfg/graph.h"

namespace covenant::compiler {

/// Binds a tensor of a layer's codelet to a value.
using ActivationBinder = std::function<Status(const std::string& tensor, srdfg::ValueId value)>;

bool is_elementwise(const srdfg::Node& node);

/// True if max or min of two values can be computed on stored values, and if the machine compares these.
bool compares_stored(const srdfg::Graph& graph, const srdfg::Node& node, const acg::Machine& machine);

/// Makes such a layer one on stored values.
void compare_stored(NetworkLayer& layer);

/// Gives `layer` the params and tensors of such a node; `bind_activation` binds a tensor of its codelet to a value,
/// inputs first. Lanes take the elements of dimension `lanes`. Precondition: is_elementwise.
Status bind_elementwise(const srdfg::Graph& graph, const srdfg::Node& node, size_t lanes, const acg::Machine& machine,
                        NetworkLayer& layer, const ActivationBinder& bind_activation);

}  // namespace covenant::compiler
