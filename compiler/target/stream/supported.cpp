#include "compiler/target/stream/supported.h"

#include "acg/graph/features.h"

namespace covenant::compiler {

Status check_supported(const acg::Machine& machine) {
  for (const acg::FeatureUse& use : acg::features(machine)) {
    if (use.feature != acg::Feature::kPartsOfBytes) return acg::refusal(use);
  }
  return Done{};
}

Status check_whole_bytes(const acg::Machine& machine) {
  for (const acg::FeatureUse& use : acg::features(machine)) {
    if (use.feature == acg::Feature::kPartsOfBytes) return acg::refusal(use);
  }
  return Done{};
}

}  // namespace covenant::compiler
