/// Grouped convolutions.
#pragma once

#include "acg/graph/graph.h"
#include "compiler/network/layers.h"
#include "compiler/srdfg/graph.h"

namespace covenant::compiler {

/// The weights of a convolution, the channels of one group (IC, OC), the groups (G) if there are several. Groups are
/// merged until each begins and ends with a whole vector of channels, as activations and sums lie in memory; if no
/// number does, or the sums are the result, all become one convolution, whose weights are mostly 0. The last group may
/// end after the last channel, where tensors that lie alone have room anyway. Groups of one channel each stay what they
/// are on a machine that multiplies channel by channel: their channels are C.
void set_groups(const srdfg::Graph& graph, const srdfg::Node& node, const acg::Machine& machine,
                const std::vector<Activation>& activations, NetworkLayer& layer);

/// Does the machine sum the products of each channel by itself, a SIMD array for one? Of a conv with a group for each
/// channel on a machine that can.
bool is_by_channels(const srdfg::Graph& graph, const srdfg::Node& node, const acg::Machine& machine);

/// Biases and scales for what the last group has after the last channel: zeros. Precondition: the layer has both.
void fill_last_group(NetworkLayer& layer);

}  // namespace covenant::compiler
