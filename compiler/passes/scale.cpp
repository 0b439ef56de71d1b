#include "compiler/passes/scale.h"

#include "acg/graph/numerics.h"
#include "compiler/codelet/rewrite.h"

namespace covenant::compiler {

codelet::Codelet scale(const codelet::Codelet& codelet, const acg::Machine& machine) {
  if (!acg::is_fixed_point(machine)) return codelet;
  codelet::Codelet result = codelet;
  for_each_operation(result.body, [](codelet::Operation& operation) {
    auto* compute = std::get_if<codelet::Compute>(&operation.op);
    if (compute != nullptr && compute->capability == "REQUANT") compute->capability = "REQUANT_FIXED";
  });
  return result;
}

}  // namespace covenant::compiler
