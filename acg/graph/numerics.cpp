#include "acg/graph/numerics.h"

#include <algorithm>
#include <string_view>

namespace covenant::acg {
namespace {

bool offers(const Machine& machine, std::string_view capability) {
  return std::any_of(machine.computes.begin(), machine.computes.end(), [&](const Compute& compute) {
    return std::any_of(compute.capabilities.begin(), compute.capabilities.end(),
                       [&](const Capability& one) { return one.name == capability; });
  });
}

}  // namespace

bool is_fixed_point(const Machine& machine) { return offers(machine, "REQUANT_FIXED") && !offers(machine, "REQUANT"); }

}  // namespace covenant::acg
