#include "compiler/lowerings/lowering.h"

#include "acg/base/check.h"
#include "compiler/codelet/packing.h"

namespace covenant::compiler {

NetworkLayer lowered(const NetworkLayer& layer, const Lowering& lowering) {
  NetworkLayer made = layer;
  made.lowering = lowering.name;
  made.operation = lowering.operation;
  made.codelet = lowering.codelet;
  made.layer.params = lowering.params;
  for (const auto& [name, packing] : lowering.packings) {
    const auto constant = made.constants.find(name);
    if (constant != made.constants.end()) {
      constant->second = packed(constant->second, packing, layer.layer.dtypes.at(name));
    }
  }
  for (const auto& [name, storage] : lowering.storages) {
    made.views[name] = permuted(storage, memory_order(storage.dimensions.size()));
  }
  return made;
}

std::map<size_t, Storage> missing_storages(const Network& network, const NetworkLayer& layer,
                                           const Lowering& lowering) {
  std::map<size_t, Storage> missing;
  for (const auto& [name, storage] : lowering.storages) {
    const size_t activation = layer.activations.at(name);
    if (storage != network.activations.at(activation).storage) missing[activation] = storage;
  }
  return missing;
}

ConstantTensor packed(const ConstantTensor& constant, const Packing& packing, DType dtype) {
  codelet::Surrogate surrogate;
  surrogate.dtype = dtype;
  surrogate.packing = packing.indices;
  for (const uint64_t size : constant.shape) surrogate.logical_shape.push_back(static_cast<int64_t>(size));
  ConstantTensor result;
  for (const std::vector<uint64_t>& factors : packing.dimensions) {
    uint64_t size = 1;
    for (const uint64_t factor : factors) {
      surrogate.shape.emplace_back(static_cast<int64_t>(factor));
      size *= factor;
    }
    result.shape.push_back(size);
  }
  result.data = codelet::to_packed(surrogate, constant.data);
  return result;
}

}  // namespace covenant::compiler
