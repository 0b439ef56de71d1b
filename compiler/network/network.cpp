#include "compiler/network/network.h"

#include <algorithm>
#include <map>

#include "acg/base/check.h"
#include "acg/graph/queries.h"
#include "compiler/codelet/vector_sizes.h"
#include "compiler/network/axis_layers.h"
#include "compiler/network/copy_layers.h"
#include "compiler/network/layer_traits.h"
#include "compiler/network/padded_images.h"
#include "compiler/network/row_layers.h"
#include "compiler/network/tensor_uses.h"

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
  return vector_storage(machine, dtype, shape, memory_order(shape.size()));
}

Storage vector_storage(const acg::Machine& machine, DType dtype, const std::vector<uint64_t>& shape,
                       const std::vector<size_t>& order) {
  const std::string& memory = acg::get(machine, acg::outermost_memory(machine)).name;
  return dense(memory, shape, order, codelet::padded_size(machine, dtype, shape.at(order.back())));
}

uint64_t written_row(const acg::Machine& machine, DType dtype, uint64_t size) {
  return has_transfer_engines(machine) ? size : codelet::padded_size(machine, dtype, size);
}

bool reads_flattened(const NetworkLayer& layer, const Activation& tensor) {
  return traits(layer).form == LayerForm::kMatrix && tensor.shape.size() == 4 && tensor.shape[2] * tensor.shape[3] > 1;
}

namespace {

/// True for a tensor whose values are the same in all lanes and are read from one of them.
bool is_once_a_row(const NetworkLayer& layer, const std::string& name) {
  return name == "r" && traits(layer).has_row_sums;
}

/// Whole vectors of channels, as every layer takes them without more words.
bool is_usual(const Activation& tensor, const acg::Machine& machine) {
  const size_t rank = tensor.shape.size();
  if ((rank != 4 && rank != 2) || tensor.storage.offset != 0) return false;
  return tensor.storage.dimensions == vector_storage(machine, tensor.dtype, tensor.shape).dimensions;
}

/// The view of one activation, with dimensions in the codelet's order.
Storage view_of(const Network& network, const NetworkLayer& layer, const std::string& name, const Activation& tensor,
                const acg::Machine& machine) {
  if (reads_flattened(layer, tensor)) return flattened(tensor.storage);
  switch (traits(layer).form) {
    case LayerForm::kRows:
      return row_view(layer, name, tensor.storage);
    case LayerForm::kPixels:
    case LayerForm::kWindows:
    case LayerForm::kMatrix: {
      Storage view = permuted(tensor.storage, memory_order(tensor.shape.size()));
      if (is_once_a_row(layer, name)) view.dimensions.pop_back();
      return view;
    }
    case LayerForm::kCopy:
      return copied_view(network, layer, name, machine);
    case LayerForm::kAlongAxis:
      return along_axis(network, layer, tensor.storage);
    case LayerForm::kLanes:
      break;
  }
  const auto y = layer.activations.find("y");  // declared codelets may call it otherwise
  const Activation& made =
      network.activations[y == layer.activations.end() ? layer.activations.begin()->second : y->second];
  const Result<Storage> alike = reshaped(tensor.storage, made.shape);  // [N,C,1,1] beside [N,C]
  check(static_cast<bool>(alike), "lanes see tensors of one shape");
  return permuted(tensor.shape == made.shape ? tensor.storage : *alike, order_of(made.storage));
}

/// Images of one channel lie so whichever of their dimensions is called the last.
bool has_channels_last(const Storage& storage) {
  const std::vector<StorageDimension>& d = storage.dimensions;
  return d.size() == 4 && d[1].strides.back().stride == 1 && d[3].strides.back().stride == channels_in_memory(storage);
}

/// One of the tensors has its dimensions in another order than usual: all are seen in that of the result.
bool is_turned(const Network& network, const NetworkLayer& layer) {
  return std::ranges::any_of(layer.activations, [&](const auto& used) {
    const Activation& tensor = network.activations[used.second];
    return !has_channels_last(tensor.storage) && order_of(tensor.storage) != memory_order(tensor.shape.size());
  });
}

}  // namespace

void set_views(const Network& network, NetworkLayer& layer, const acg::Machine& machine) {
  const LayerForm form = traits(layer).form;
  if (form == LayerForm::kAlongAxis) fill_lanes(network, machine, layer);
  const auto tensor = [&](size_t index) -> const Activation& { return network.activations[index]; };
  const auto is_part = [&](const auto& used) { return tensor(used.second).storage.allocation != used.second; };
  const bool is_moved = std::ranges::any_of(layer.activations, is_part) || is_turned(network, layer);
  const bool is_ordered = form == LayerForm::kCopy || form == LayerForm::kAlongAxis || form == LayerForm::kRows;
  const bool all = is_ordered || (is_moved && !traits(layer).multiplies);
  for (const auto& [name, used] : layer.activations) {
    layer.views.erase(name);
    if (form == LayerForm::kRows && name == "w") continue;  // in tiles, as in the codelet after packing
    if (all || is_once_a_row(layer, name) || reads_flattened(layer, tensor(used)) || !is_usual(tensor(used), machine)) {
      layer.views[name] = view_of(network, layer, name, tensor(used), machine);
    }
  }
}

void set_storage(Network& network, size_t activation, const Storage& storage, const acg::Machine& machine) {
  set_storage(network, TensorUses(network), activation, storage, machine);
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
