/// Params of the scaling of means: in single precision, or in fixed point.
#pragma once

#include <cstdint>

#include "acg/graph/graph.h"
#include "compiler/network/network.h"
#include "compiler/srdfg/graph.h"

namespace covenant::compiler {

/// Parameters and constants of an `average_pool` and which codelet does it: windows at the edges may see fewer
/// elements.
void set_mean_of_windows(const srdfg::Graph& graph, const srdfg::Node& node, const acg::Machine& machine,
                         NetworkLayer& layer);

/// Sets the scale of a `global_average_pool` over `pixels` pixels.
void set_mean_scale(const srdfg::Graph& graph, const srdfg::Node& node, const acg::Machine& machine, uint64_t pixels,
                    NetworkLayer& layer);

}  // namespace covenant::compiler
