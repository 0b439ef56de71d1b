#include "sim/common/supported.h"

#include "acg/graph/features.h"

namespace covenant::sim {

Status check_supported(const acg::Machine& machine) {
  const std::vector<acg::FeatureUse> uses = acg::features(machine);
  return uses.empty() ? Status{Done{}} : Status{acg::refusal(uses.front())};
}

}  // namespace covenant::sim
