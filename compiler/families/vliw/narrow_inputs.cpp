#include "compiler/families/vliw/narrow_inputs.h"

#include <algorithm>

#include "acg/base/rounding.h"
#include "compiler/network/layer_traits.h"
#include "compiler/network/tensor_uses.h"

namespace covenant::compiler::vliw {
namespace {

constexpr size_t kImageRank = 4, kChannels = 1;
constexpr uint64_t kInputsAtOnce = 4;  // bytes of a word

/// The last of several groups of channels may end past the last channel. Precondition: a convolution.
bool reads_past(const NetworkLayer& layer, uint64_t channels) {
  if (!layer.layer.params.contains("G")) return false;
  const auto count = [&](const char* name) {
    return static_cast<uint64_t>(std::get<int64_t>(layer.layer.params.at(name)));
  };
  return count("G") * count("IC") > channels;
}

/// True if the layer reads words; others take vectors of channels.
bool reads_words(const NetworkLayer& layer, uint64_t channels) {
  const LayerTraits& what = traits(layer);
  const bool is_convolution = what.form == LayerForm::kWindows && what.multiplies && !what.is_by_channels;
  return is_convolution && !reads_past(layer, channels);
}

bool only_feeds_products(const Network& network, const TensorUses& uses, size_t activation) {
  return std::ranges::all_of(uses.layers_of(activation), [&](size_t index) {
    const NetworkLayer& layer = network.layers[index];
    return std::all_of(layer.activations.begin(), layer.activations.end(), [&](const auto& used) {
      return used.second != activation ||
             (reads_words(layer, network.activations[activation].shape[kChannels]) && used.first == "x");
    });
  });
}

}  // namespace

Network with_narrow_inputs(Network network, const acg::Machine& machine) {
  const TensorUses uses(network);
  for (const Boundary& input : network.inputs) {
    const Activation& image = network.activations[input.activation];
    if (image.shape.size() != kImageRank || !uses.has_free_storage(input.activation)) continue;
    if (!only_feeds_products(network, uses, input.activation)) continue;
    const uint64_t channels = round_up(image.shape[kChannels], kInputsAtOnce);
    if (channels >= channels_in_memory(image.storage)) continue;
    set_storage(network, uses, input.activation,
                channels_last(image.storage.memory, image.shape, {.channels = channels}), machine);
  }
  return network;
}

}  // namespace covenant::compiler::vliw
