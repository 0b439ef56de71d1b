#include "compiler/families/stream/supported.h"

#include "acg/graph/features.h"
#include "acg/graph/queries.h"
#include "compiler/families/stream/word_fields.h"

namespace covenant::compiler {

Status check_supported(const acg::Machine& machine) {
  for (const acg::FeatureUse& use : acg::features(machine)) {
    if (use.feature != acg::Feature::kPartsOfBytes) return acg::refusal(use);
  }
  return Done{};
}

Status check_runnable(const acg::Machine& machine) {
  for (const acg::FeatureUse& use : acg::features(machine)) {
    if (use.feature == acg::Feature::kPartsOfBytes) return acg::refusal(use);
  }
  if (!acg::instruction_edge(machine)) {
    return Diagnostic{"GEN0016",
                      {},
                      "machine " + machine.name,
                      "no edge brings words to the machine's engines",
                      machine.name,
                      {},
                      "add a memory of kind instruction, and an edge to it from off-chip memory"};
  }
  for (const acg::Compute& compute : machine.computes) {
    if (compute.unit == acg::UnitKind::kSystolicArray || compute.unit == acg::UnitKind::kSimdArray) continue;
    return Diagnostic{
        "GEN0016",
        compute.where,
        "compute " + compute.name,
        "no program runs on a node of this unit",
        std::string(name_of(compute.unit)),
        {std::string(name_of(acg::UnitKind::kSystolicArray)), std::string(name_of(acg::UnitKind::kSimdArray))},
        "take the node out of the machine to compile programs for it"};
  }
  return check_word_fields(machine);
}

}  // namespace covenant::compiler
