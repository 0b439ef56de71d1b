#include "compiler/layers/tensor_parts.h"

#include <utility>

namespace covenant::compiler {

TakenNames names_in(const Network& network) {
  TakenNames names;
  for (const Activation& one : network.activations) names.tensors.take(one.name);
  for (const NetworkLayer& one : network.layers) names.layers.take(one.layer.name);
  return names;
}

size_t add_part(Network& network, TakenNames& names, const std::string& name, TensorPart part) {
  const Activation& whole = network.activations.at(part.of);
  Activation made{names.tensors.unique(name), whole.dtype, {}, whole.zero_point, whole.storage};
  made.storage.offset += part.offset;
  made.storage.is_filled = false;
  made.storage.dimensions = std::move(part.dimensions);
  made.shape = shape_of(made.storage);
  network.activations.push_back(std::move(made));
  return network.activations.size() - 1;
}

}  // namespace covenant::compiler
