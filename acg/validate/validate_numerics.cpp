#include <algorithm>
#include <fmt/format.h>

#include "acg/graph/numerics.h"
#include "acg/graph/unit_info.h"
#include "acg/validate/validate_context.h"

namespace covenant::acg::checks {
namespace {

bool scales_in_fixed_point(const Compute& compute) {
  return !info(compute.unit).is_open && std::ranges::any_of(compute.capabilities, [](const Capability& one) {
    return one.name.starts_with("REQUANT") && one.name.ends_with("FIXED");
  });
}

}  // namespace

void check_numerics(const Context& context) {
  for (const Compute& compute : context.machine.computes) {
    if (!rounds_half_away(compute)) continue;
    for (const Compute& other : context.machine.computes) {
      if (rounds_half_away(other) || !scales_in_fixed_point(other)) continue;
      const std::string path = "compute " + compute.name;
      refuse(context.where(path + " half_away", compute.where), path,
             {"ACG0057",
              fmt::format("{} rounds halves up in fixed point, and this node away from zero", other.name),
              "half_away = 1",
              {"half_away = 0"},
              "let all nodes that scale in fixed point round halves alike; cores that issue packets round them up"});
    }
  }
}

}  // namespace covenant::acg::checks
