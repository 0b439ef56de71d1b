#include "compiler/choice/layer_forms.h"

#include <utility>

#include "compiler/binding/bind_layer.h"
#include "compiler/binding/layer_codelet.h"
#include "compiler/lowerings/pixel_vectors.h"

namespace covenant::compiler {

std::vector<BoundForm> other_forms(const Network& network, const NetworkLayer& layer, const acg::Machine& machine,
                                   bool are_fused) {
  std::vector<BoundForm> forms;
  const auto add = [&](NetworkLayer other, std::optional<Gather> gather) {
    const Result<codelet::Codelet> codelet = codelet_of(other, {});
    Result<codelet::Codelet> bound = codelet ? bind_layer(*codelet, other, machine) : codelet;
    if (bound) forms.push_back({std::move(other), std::move(*bound), std::move(gather)});
  };
  if (are_fused) {
    for (NetworkLayer& other : with_other_rows(network, layer, machine)) add(std::move(other), {});
  }
  for (const Gather& gather : gathers(network, layer, machine)) {
    add(gathered_alone(network, layer, gather, machine), gather);
  }
  return forms;
}

}  // namespace covenant::compiler
