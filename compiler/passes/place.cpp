#include "compiler/passes/place.h"

#include "acg/graph/queries.h"

namespace covenant::compiler {

Result<codelet::Codelet> place(const codelet::Codelet& source, const acg::Machine& machine) {
  codelet::Codelet placed = source;
  const std::string& outermost = acg::get(machine, acg::outermost_memory(machine)).name;
  for (codelet::Surrogate& surrogate : placed.surrogates) {
    const bool is_tensor =
        surrogate.kind == codelet::SurrogateKind::kInp || surrogate.kind == codelet::SurrogateKind::kOut;
    if (is_tensor && surrogate.location.empty()) surrogate.location = outermost;
  }
  return placed;
}

}  // namespace covenant::compiler
