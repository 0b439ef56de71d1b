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

std::vector<DType> element_dtypes(const Machine& machine) {
  std::vector<DType> dtypes;
  for (const Compute& compute : machine.computes) {
    for (const Capability& one : compute.capabilities) {
      const DType dtype = one.output.dtype;
      if (!one.name.starts_with("REQUANT") || !is_narrow(dtype)) continue;
      if (std::find(dtypes.begin(), dtypes.end(), dtype) == dtypes.end()) dtypes.push_back(dtype);
    }
  }
  return dtypes;
}

}  // namespace covenant::acg
