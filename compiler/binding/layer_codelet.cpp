#include "compiler/binding/layer_codelet.h"

#include "compiler/binding/bind_layer.h"
#include "compiler/binding/chain_codelet.h"
#include "compiler/binding/declared_codelets.h"
#include "compiler/library/library.h"
#include "compiler/mapping/sequence.h"
#include "compiler/network/layer_traits.h"

namespace covenant::compiler {

using codelet::Codelet;

Result<Codelet> codelet_of(const NetworkLayer& layer, const std::vector<Codelet>& declared) {
  if (layer.codelet) return *layer.codelet;
  if (traits(layer).is_chain) return chain_codelet(layer);
  const Codelet* own = find_codelet(declared, layer.operation);
  return own != nullptr ? Result<Codelet>(*own) : library_codelet(layer.operation);
}

Result<Codelet> packed_codelet(const NetworkLayer& layer, const acg::Machine& machine,
                               const std::vector<Codelet>& declared) {
  Result<Codelet> codelet = codelet_of(layer, declared);
  if (!codelet) return codelet;
  const Result<Codelet> bound = bind_layer(*codelet, layer, machine);
  return bound ? map_to_machine(*bound, machine) : bound;
}

}  // namespace covenant::compiler
