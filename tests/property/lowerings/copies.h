/// Copies that become products: machines, inputs, and which layers they are.
#pragma once

#include <cstdint>
#include <vector>

#include "acg/lang/load.h"
#include "compiler/network/layer_traits.h"
#include "compiler/reference/evaluate.h"
#include "tests/support/acg/taken.h"
#include "tests/support/pipeline/random_graph.h"

namespace covenant::test {

/// Arrays that are square and not, so that runs, rows and vectors end within tensors.
inline const std::vector<acg::Machine>& arrays_for_copies() {
  static const std::vector<acg::Machine> all{taken(acg::load_machine("genesys", {{"M", "8"}, {"N", "8"}})),
                                             taken(acg::load_machine("genesys", {{"M", "5"}, {"N", "16"}})),
                                             taken(acg::load_machine("genesys", {{"M", "16"}, {"N", "6"}}))};
  return all;
}

inline compiler::reference::Tensors inputs_of(const Graph& graph, uint32_t seed) {
  compiler::reference::Tensors inputs;
  for (const ValueId id : graph.inputs) {
    const runtime::Tensor drawn = random_input(graph.get(id), seed);
    inputs[drawn.name] = {drawn.dtype, drawn.shape, drawn.bytes};
  }
  return inputs;
}

inline bool is_copy(const compiler::NetworkLayer& layer) {
  return compiler::traits(layer).form == compiler::LayerForm::kCopy;
}

}  // namespace covenant::test
