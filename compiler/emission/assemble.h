/// Assembles scheduled layers into a program, for any kind of words: memory map, constants, bindings.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "acg/base/result.h"
#include "acg/program/program.h"
#include "compiler/codelet/codelet.h"
#include "compiler/emission/memory_plan.h"
#include "compiler/network/network.h"
#include "compiler/network/staged.h"

namespace covenant::compiler {

/// A layer whose tensors have their places.
struct AddressedLayer {
  const NetworkLayer& layer;
  const codelet::Codelet& scheduled;
  std::map<std::string, uint64_t> addresses;  ///< by surrogate: address in its memory
  acg::Block block;                           ///< without `first_word` and `words`
};

/// Generates the code of all layers, as bytes, and records in their blocks where it is. It may add segments to the map;
/// the code itself is added after it.
using WriteCode = std::function<Staged<std::vector<uint8_t>>(std::vector<AddressedLayer>& layers, MemoryPlan& map)>;

/// Precondition: `scheduled[i]` is the codelet of `network.layers[i]` after the last pass.
/// Fails with the codes of memory_plan.h, those of `write_code`, GEN0014 (a network without layers) and GEN0015 (a
/// boundary tensor that no layer uses).
Staged<acg::Program> assemble(const Network& network, const std::vector<codelet::Codelet>& scheduled,
                              const acg::Machine& machine, const std::string& model, const WriteCode& write_code);

}  // namespace covenant::compiler
