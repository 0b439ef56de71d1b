#include "compiler/network/network.h"

#include <algorithm>
#include <map>

namespace covenant::compiler {

Network with_lifetimes(Network network) {
  std::map<size_t, Lifetime> lifetimes;
  const auto use = [&](size_t activation, size_t layer) {
    const size_t allocation = network.activations[activation].storage.allocation;
    const auto [known, is_new] = lifetimes.emplace(allocation, Lifetime{layer, layer});
    known->second.first = std::min(known->second.first, layer);
    known->second.last = std::max(known->second.last, layer);
  };
  for (size_t i = 0; i < network.layers.size(); ++i) {
    for (const auto& [name, activation] : network.layers[i].activations) use(activation, i);
  }
  const size_t last = std::max<size_t>(1, network.layers.size()) - 1;
  for (const Boundary& boundary : network.inputs) use(boundary.activation, 0);
  for (const Boundary& boundary : network.outputs) use(boundary.activation, last);
  for (Activation& activation : network.activations) {
    const auto known = lifetimes.find(activation.storage.allocation);
    activation.storage.lifetime = known == lifetimes.end() ? std::nullopt : std::optional(known->second);
  }
  return network;
}

}  // namespace covenant::compiler
