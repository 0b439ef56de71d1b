/// Grouped convolutions: merges groups to suit the machine.
#pragma once

#include <cstdint>
#include <optional>

#include "acg/graph/graph.h"
#include "compiler/layers/layers.h"
#include "compiler/srdfg/graph.h"

namespace covenant::compiler {

/// True if so many channels of both dtypes, as activations, and of the sums are whole vectors of the machine.
bool are_whole_vectors(const acg::Machine& machine, DType read, uint64_t inputs, DType written, uint64_t outputs);

/// Sets the dimensions of a convolution's weights: the channels of one group (IC, OC), and the number of groups (G) if
/// there are several. Groups are merged until each begins and ends with a whole vector of channels, as activations and
/// sums are laid out in memory; if no number of them does, or if the sums are the result, all are merged into one
/// convolution, whose weights are mostly 0. The last group may end after the last channel, where tensors that do not
/// share an allocation have room. Groups of one channel each are kept on a machine that multiplies channel by channel:
/// their channels are C.
void set_groups(const srdfg::Graph& graph, const srdfg::Node& node, const acg::Machine& machine,
                const std::vector<Activation>& activations, NetworkLayer& layer);

/// True for a conv with one group per channel on a machine that sums the products of each channel separately, by a SIMD
/// array for example.
bool is_by_channels(const srdfg::Graph& graph, const srdfg::Node& node, const acg::Machine& machine);

/// Groups of a convolution as the model has them, and the channels of one.
struct ModelGroups {
  uint64_t number = 1;
  uint64_t inputs = 1;
  uint64_t outputs = 1;
};
/// Those of a layer, whose groups may be merged; nothing for layers that are no such convolution.
std::optional<ModelGroups> groups_of_model(const NetworkLayer& layer);

/// The layer with the groups of the model, for questions about its work: `set_groups` undone, but for the contents of
/// constants. Other layers stay as they are.
NetworkLayer with_groups_apart(const NetworkLayer& layer);

/// Biases and scales for what the last group has after the last channel: zeros. Precondition: the layer has both.
void fill_last_group(NetworkLayer& layer);

}  // namespace covenant::compiler
