#include "compiler/binding/verify_matrices.h"

#include "compiler/codelet/diagnose.h"
#include "compiler/codelet/print.h"
#include "compiler/codelet/rewrite.h"
#include "compiler/mapping/sequence.h"
#include "compiler/network/layer_traits.h"

namespace covenant::compiler {
namespace {

using codelet::Surrogate;

/// Codelets of the library read weights as matrices, and tensors that compiler/layers stores in the order of `pack`.
bool is_of_library(const NetworkLayer& layer) { return !layer.codelet && !traits(layer).codelet.empty(); }

/// One matrix in each of the other dimensions: packing it moves nothing.
bool is_packed_as_it_lies(const Surrogate& packed) {
  return packed.shape[0] == codelet::Expression(1) && packed.shape[1] == codelet::Expression(1) &&
         constants(packed.shape).size() == packed.logical_shape.size() + 2 &&
         constants({packed.shape.end() - 2, packed.shape.end()}) ==
             std::vector<int64_t>(packed.logical_shape.end() - 2, packed.logical_shape.end());
}

}  // namespace

Status verify_matrices(const codelet::Codelet& bound, const NetworkLayer& layer, const acg::Machine& machine) {
  if (is_of_library(layer)) return Done{};
  const Result<codelet::Codelet> packed = map_to_machine(bound, machine);
  if (!packed) return Done{};  // the pass that maps it for good says why
  for (const auto& [name, activation] : layer.activations) {
    const Surrogate& surrogate = *find_surrogate(*packed, name);
    if (surrogate.packing.empty() || is_packed_as_it_lies(surrogate)) continue;
    return codelet::diagnose("CDL0044", surrogate.where, layer.layer.name,
                             "a tensor between layers is read as matrices, but does not lie as such",
                             codelet::print(*find_surrogate(bound, name)), {},
                             "let a constant be the operand that the node reads as matrices");
  }
  return Done{};
}

}  // namespace covenant::compiler
