#include "compiler/target/stream/supported.h"

#include <algorithm>

#include "acg/graph/features.h"
#include "acg/graph/queries.h"
#include "compiler/target/stream/word_fields.h"

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
  const auto is_fetched = [&](const acg::Edge& edge) {
    const auto* to = std::get_if<acg::MemoryId>(&edge.to);
    return to != nullptr && acg::get(machine, *to).kind == acg::MemoryKind::kInstruction;
  };
  if (std::none_of(machine.edges.begin(), machine.edges.end(), is_fetched)) {
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
