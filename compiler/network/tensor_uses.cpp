#include "compiler/network/tensor_uses.h"

#include <algorithm>
#include <utility>

#include "compiler/network/layer_traits.h"
#include "compiler/network/views.h"
#include "compiler/srdfg/queries.h"

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
  std::vector<std::vector<size_t>> tenants(network.activations.size());
  for (size_t i = 0; i < tensors_.size(); ++i) {
    tensors_[i].allocation = network.activations[i].storage.allocation;
    tenants.at(tensors_[i].allocation).push_back(i);
  }
  for (size_t i = 0; i < tensors_.size(); ++i) tensors_[i].has_views = tenants[tensors_[i].allocation].size() > 1;
  for (const std::vector<size_t>& sharers : tenants) sliced_.push_back(slices_among(network, sharers));
}

/// Those of the largest tensor among `sharers`; nothing if another one is no slice of it, or cannot move with it.
std::optional<TensorUses::Sliced> TensorUses::slices_among(const Network& network,
                                                           const std::vector<size_t>& sharers) const {
  if (sharers.empty()) return std::nullopt;
  const auto elements = [&](size_t one) { return srdfg::element_count(network.activations[one].shape); };
  Sliced found{*std::ranges::max_element(sharers, {}, elements)};
  found.shape = network.activations[found.whole].shape;
  const auto any = [&](auto is) { return std::ranges::any_of(sharers, [&](size_t one) { return is(tensors_[one]); }); };
  if (any([](const Tensor& one) { return one.is_pinned; })) return std::nullopt;
  const auto is_input = [](const Tensor& one) { return one.is_input; };
  const auto is_output = [](const Tensor& one) { return one.is_output; };
  if (any(is_input) && any(is_output)) return std::nullopt;
  for (const size_t one : sharers) {
    found.is_filled = found.is_filled || network.activations[one].storage.is_filled;
    if (one == found.whole) continue;
    std::optional<Slice> slice = slice_of(network.activations[found.whole].storage, network.activations[one].storage);
    if (!slice) return std::nullopt;
    found.slices.emplace(one, std::move(*slice));
  }
  return found;
}

bool TensorUses::has_free_storage(size_t activation) const {
  const Tensor& tensor = tensors_[activation];
  return !(tensor.is_input && tensor.is_output) && !tensor.has_views && !tensor.is_pinned;
}

bool TensorUses::moves_with_slices(size_t activation) const {
  const std::optional<Sliced>& sliced = sliced_[tensors_[activation].allocation];
  return sliced && sliced->whole == activation;
}

std::optional<TensorUses::Part> TensorUses::part_of(size_t activation) const {
  const std::optional<Sliced>& sliced = sliced_[tensors_[activation].allocation];
  if (!sliced || !sliced->slices.contains(activation)) return std::nullopt;
  return Part{sliced->whole, sliced->slices.at(activation)};
}

std::optional<std::map<size_t, Storage>> TensorUses::with_slices(size_t activation, const Storage& storage) const {
  const std::optional<Sliced>& sliced = sliced_[tensors_[activation].allocation];
  const std::optional<Part> part = part_of(activation);
  std::optional<Storage> whole = part ? whole_of(storage, part->slice, sliced->shape) : std::optional(storage);
  if (!whole || !(part || moves_with_slices(activation))) return std::nullopt;
  whole->is_filled = whole->is_filled || sliced->is_filled;
  std::map<size_t, Storage> storages{{sliced->whole, *whole}};
  for (const auto& [one, slice] : sliced->slices) {
    Result<Storage> made = compiler::sliced(*whole, slice.starts, slice.steps, slice.shape);
    if (!made) return std::nullopt;
    made->is_filled = whole->is_filled && has_all_pixels(slice, sliced->shape);
    storages.emplace(one, std::move(*made));
  }
  return storages;
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
