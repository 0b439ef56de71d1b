/// Grouped convolutions.
#pragma once

#include "acg/graph/graph.h"
#include "compiler/network/layers.h"
#include "compiler/srdfg/graph.h"

namespace covenant::compiler {

/// The weights of a convolution, the channels of one group (IC, OC), the groups (G) if there are several. Groups are
/// merged until each begins and ends with a whole vector of channels, as activations and sums lie in memory; if no
/// number that divides them does, or the sums are the result, all become one convolution, whose weights are mostly 0.
void set_groups(const srdfg::Graph& graph, const srdfg::Node& node, const acg::Machine& machine, NetworkLayer& layer);

}  // namespace covenant::compiler
