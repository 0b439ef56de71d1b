#include "compiler/network/tensor_uses.h"

#include "compiler/network/layer_traits.h"
#include "compiler/network/views.h"

namespace covenant::compiler {
namespace {

void store(Activation& tensor, const Storage& storage) {
  const size_t allocation = tensor.storage.allocation;
  const std::optional<Lifetime> lifetime = tensor.storage.lifetime;
  tensor.storage = storage;
  tensor.storage.allocation = allocation;
  tensor.storage.lifetime = lifetime;
}

/// Another storage would change the constants of such a layer: the rows of a gemm that reads an image flattened.
bool reads_flat(const NetworkLayer& layer, const std::string& name, const Activation& tensor) {
  return name == "x" && traits(layer).form == LayerForm::kMatrix && tensor.shape.size() == 4;
}

}  // namespace

TensorUses::TensorUses(const Network& network) : tensors_(network.activations.size()) {
  for (size_t i = 0; i < network.layers.size(); ++i) {
    const NetworkLayer& layer = network.layers[i];
    // A layer along an axis needs its tensors in one order.
    const bool is_ordered = traits(layer).form == LayerForm::kAlongAxis;
    for (const auto& [name, activation] : layer.activations) {
      Tensor& tensor = tensors_.at(activation);
      if (tensor.layers.empty() || tensor.layers.back() != i) tensor.layers.push_back(i);
      if (is_ordered || reads_flat(layer, name, network.activations[activation])) tensor.is_pinned = true;
    }
  }
  for (const Boundary& boundary : network.inputs) tensors_.at(boundary.activation).is_input = true;
  for (const Boundary& boundary : network.outputs) tensors_.at(boundary.activation).is_output = true;
  std::vector<size_t> tenants(network.activations.size());
  for (const Activation& activation : network.activations) ++tenants.at(activation.storage.allocation);
  for (size_t i = 0; i < tensors_.size(); ++i) {
    tensors_[i].has_views = tenants[network.activations[i].storage.allocation] > 1;
  }
}

bool TensorUses::has_free_storage(size_t activation) const {
  const Tensor& tensor = tensors_[activation];
  return !(tensor.is_input && tensor.is_output) && !tensor.has_views && !tensor.is_pinned;
}

void set_storage(Network& network, const TensorUses& uses, size_t activation, const Storage& storage,
                 const acg::Machine& machine) {
  store(network.activations.at(activation), storage);
  for (const size_t layer : uses.layers_of(activation)) set_views(network, network.layers[layer], machine);
}

void set_storage(Network& network, size_t activation, const Storage& storage, const acg::Machine& machine) {
  set_storage(network, TensorUses(network), activation, storage, machine);
}

void set_storages(Network& network, const std::vector<Activation>& stored, const acg::Machine& machine) {
  for (size_t i = 0; i < network.activations.size(); ++i) store(network.activations[i], stored.at(i).storage);
  for (NetworkLayer& layer : network.layers) set_views(network, layer, machine);
}

}  // namespace covenant::compiler
