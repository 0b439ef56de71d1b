#include "compiler/meaning/check_meaning.h"

#include <algorithm>
#include <utility>

#include "compiler/meaning/interpret_layers.h"
#include "compiler/network/tensor_uses.h"

namespace covenant::compiler {
namespace {

/// The network with the lowering in the place of a layer.
Network with_lowering(Network network, size_t index, const Lowering& lowering, const acg::Machine& machine) {
  const TensorUses uses(network);
  for (const auto& [activation, storage] : missing_storages(network, network.layers.at(index), lowering)) {
    set_storage(network, uses, activation, storage, machine);
  }
  network.layers[index] = lowered(network.layers[index], lowering);
  return network;
}

}  // namespace

Result<std::optional<Difference>> check_meaning(const Lowering& lowering, const Network& network, size_t index,
                                                const srdfg::Graph& graph, const acg::Machine& machine,
                                                const reference::Tensors& inputs,
                                                const std::vector<codelet::Codelet>& declared) {
  const Result<reference::Tensors> expected = reference::evaluate(graph, inputs);
  if (!expected) return expected.error();
  const Result<reference::Tensors> found =
      interpret_layers(with_lowering(network, index, lowering, machine), machine, inputs, declared);
  if (!found) return found.error();
  for (const auto& [name, tensor] : *expected) {
    const std::vector<uint8_t>& made = found->at(name).bytes;
    const auto [a, b] = std::mismatch(tensor.bytes.begin(), tensor.bytes.end(), made.begin(), made.end());
    if (a == tensor.bytes.end() && b == made.end()) continue;
    return std::optional(Difference{name, static_cast<size_t>(a - tensor.bytes.begin()),
                                    a == tensor.bytes.end() ? uint8_t{0} : *a, b == made.end() ? uint8_t{0} : *b});
  }
  return std::optional<Difference>();
}

}  // namespace covenant::compiler
