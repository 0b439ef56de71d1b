#include "compiler/network/network.h"

#include <algorithm>
#include <map>

#include "acg/graph/queries.h"
#include "compiler/codelet/vector_sizes.h"

namespace covenant::compiler {

uint64_t reduced_at_once(const acg::Machine& machine) {
  uint64_t at_once = 1;
  for (const acg::Compute& compute : machine.computes) {
    for (const acg::Capability& capability : compute.capabilities) {
      for (const acg::CapabilityOperand& input : capability.inputs) {
        if (input.shape.size() == 2) at_once = std::max(at_once, input.shape.front());
      }
    }
  }
  return at_once;
}

Storage vector_storage(const acg::Machine& machine, DType dtype, const std::vector<uint64_t>& shape) {
  const std::string& memory = acg::get(machine, acg::outermost_memory(machine)).name;
  return channels_last(memory, shape, {.channels = codelet::padded_size(machine, dtype, shape.at(1))});
}

bool reads_flattened(const NetworkLayer& layer, const Activation& tensor) {
  return layer.operation == "gemm" && tensor.shape.size() == 4 && tensor.shape[2] * tensor.shape[3] > 1;
}

void set_storage(Network& network, size_t activation, const Storage& storage, const acg::Machine& machine) {
  Activation& tensor = network.activations.at(activation);
  const size_t allocation = tensor.storage.allocation;
  const std::optional<Lifetime> lifetime = tensor.storage.lifetime;
  tensor.storage = storage;
  tensor.storage.allocation = allocation;
  tensor.storage.lifetime = lifetime;
  const bool is_usual =
      storage.offset == 0 && storage.dimensions == vector_storage(machine, tensor.dtype, tensor.shape).dimensions;
  for (NetworkLayer& layer : network.layers) {
    for (const auto& [name, used] : layer.activations) {
      if (used != activation) continue;
      layer.views.erase(name);
      if (reads_flattened(layer, tensor)) {
        layer.views[name] = flattened(tensor.storage);
      } else if (!is_usual) {
        layer.views[name] = permuted(tensor.storage, memory_order(tensor.shape.size()));
      }
    }
  }
}

void set_lifetimes(Network& network) {
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
}

bool is_boundary(const std::vector<Boundary>& boundaries, size_t activation) {
  return std::any_of(boundaries.begin(), boundaries.end(),
                     [&](const Boundary& boundary) { return boundary.activation == activation; });
}

}  // namespace covenant::compiler
