#include "compiler/lowerings/verify.h"

#include <algorithm>
#include <fmt/format.h>

#include "compiler/binding/verify_layers.h"
#include "compiler/network/verify.h"

namespace covenant::compiler {
namespace {

/// Dimensions of what a packing makes.
size_t packed_rank(const Packing& packing) {
  size_t rank = 0;
  for (const std::vector<uint64_t>& factors : packing.dimensions) rank += factors.size();
  return rank;
}

/// Every index of the constant is affine in p0, p1, ....
bool is_affine(const Packing& packing) {
  const size_t rank = packed_rank(packing);
  const auto is_index = [&](const std::string& name) {
    for (size_t i = 0; i < rank; ++i) {
      if (name == fmt::format("p{}", i)) return true;
    }
    return false;
  };
  return std::ranges::all_of(packing.indices, [&](const codelet::Expression& index) {
    return std::ranges::all_of(index.terms(), [&](const codelet::Term& term) {
      return term.names.size() <= 1 && std::ranges::all_of(term.names, is_index);
    });
  });
}

template <typename Value>
std::vector<std::string> names_of(const std::map<std::string, Value>& values) {
  std::vector<std::string> names;
  for (const auto& [name, value] : values) names.push_back(name);
  return names;
}

Status misfit(const NetworkLayer& layer, const std::string& message, const std::string& offending,
              std::vector<std::string> allowed) {
  return Diagnostic{
      "NET0007", {}, layer.layer.name, message, offending, std::move(allowed), "name what the layer has, as it has it"};
}

Status verify_packing(const NetworkLayer& layer, const std::string& name, const Packing& packing) {
  const auto constant = layer.constants.find(name);
  if (constant == layer.constants.end()) {
    // Where costs are compared, constants that do not matter are left out.
    if (layer.layer.dtypes.contains(name) && !layer.activations.contains(name)) return Done{};
    return misfit(layer, "a lowering packs a constant that the layer has not", name, names_of(layer.constants));
  }
  const size_t rank = constant->second.shape.size();
  if (packing.indices.size() != rank) {
    return misfit(layer, "a lowering does not say all indices of a constant: " + name,
                  fmt::format("{}", packing.indices.size()), {fmt::format("{}", rank)});
  }
  if (is_affine(packing)) return Done{};
  return misfit(layer, "a packing is not affine in the indices of what it makes", name,
                {fmt::format("p0 to p{}", packed_rank(packing))});
}

}  // namespace

Status verify_lowering(const Lowering& lowering, const Network& network, size_t index, const acg::Machine& machine,
                       const std::vector<codelet::Codelet>& declared) {
  const NetworkLayer& layer = network.layers.at(index);
  Network stored;
  stored.activations = network.activations;
  for (const auto& [name, storage] : lowering.storages) {
    const auto used = layer.activations.find(name);
    if (used == layer.activations.end()) {
      return misfit(layer, "a lowering wants a storage of a tensor that the layer has not", name,
                    names_of(layer.activations));
    }
    Activation& tensor = stored.activations.at(used->second);
    if (shape_of(storage) != tensor.shape) {
      return misfit(layer, "a lowering wants a storage of another shape than the tensor's: " + name, print(storage),
                    {print(tensor.storage)});
    }
    const size_t allocation = tensor.storage.allocation;
    tensor.storage = storage;
    tensor.storage.allocation = allocation;
  }
  for (const auto& [name, packing] : lowering.packings) {
    if (const Status packs = verify_packing(layer, name, packing); !packs) return packs;
  }
  if (const Status holds = verify_storages(stored, machine); !holds) return holds;
  return verify_layer(stored, lowered(layer, lowering), declared);
}

}  // namespace covenant::compiler
