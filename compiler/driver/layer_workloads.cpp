#include "compiler/driver/layer_workloads.h"

#include <set>

#include "compiler/binding/bind_layer.h"
#include "compiler/binding/layer_codelet.h"

namespace covenant::compiler {

Result<embedding::Workload> workload_of_layer(const NetworkLayer& layer, const acg::Machine& machine,
                                              const std::vector<codelet::Codelet>& declared) {
  const Result<codelet::Codelet> codelet = codelet_of(layer, declared);
  if (!codelet) return codelet.error();
  const Result<codelet::Codelet> bound = scaled_layer(*codelet, layer, machine);
  if (!bound) return bound.error();
  std::set<std::string> constants;
  for (const auto& [surrogate, content] : layer.constants) constants.insert(surrogate);
  return embedding::workload_of(*bound, constants);
}

}  // namespace covenant::compiler
