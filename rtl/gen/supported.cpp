#include "rtl/gen/supported.h"

#include "acg/graph/features.h"

namespace covenant::rtl {

Status check_supported(const acg::Machine& machine) {
  const std::vector<acg::FeatureUse> uses = acg::features(machine);
  return uses.empty() ? Status{Done{}} : Status{acg::refusal(uses.front())};
}

}  // namespace covenant::rtl
