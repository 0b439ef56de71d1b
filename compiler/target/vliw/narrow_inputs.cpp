#include "compiler/target/vliw/narrow_inputs.h"

#include <algorithm>

#include "acg/base/rounding.h"
#include "compiler/network/conv_lowerings.h"

namespace covenant::compiler::vliw {
namespace {

constexpr size_t kImageRank = 4, kChannels = 1;
constexpr uint64_t kInputsAtOnce = 4;  // bytes of a word

/// Others take vectors of channels.
bool reads_words(const NetworkLayer& layer) {
  return layer.operation.starts_with("conv") && layer.operation != "conv_channels";
}

bool only_feeds_products(const Network& network, size_t activation) {
  return std::all_of(network.layers.begin(), network.layers.end(), [&](const NetworkLayer& layer) {
    return std::all_of(layer.activations.begin(), layer.activations.end(), [&](const auto& used) {
      return used.second != activation || (reads_words(layer) && used.first == "x");
    });
  });
}

}  // namespace

void use_narrow_inputs(Network& network, const acg::Machine& machine) {
  for (const Boundary& input : network.inputs) {
    const Activation& image = network.activations[input.activation];
    if (image.shape.size() != kImageRank || !has_free_storage(network, input.activation)) continue;
    if (!only_feeds_products(network, input.activation)) continue;
    const uint64_t channels = round_up(image.shape[kChannels], kInputsAtOnce);
    if (channels >= channels_in_memory(image.storage)) continue;
    set_storage(network, input.activation, channels_last(image.storage.memory, image.shape, {.channels = channels}),
                machine);
  }
}

}  // namespace covenant::compiler::vliw
