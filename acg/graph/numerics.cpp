#include "acg/graph/numerics.h"

#include <algorithm>
#include <string_view>

#include "acg/base/accumulator.h"

namespace covenant::acg {
namespace {

bool offers(const Machine& machine, std::string_view capability) {
  return std::any_of(machine.computes.begin(), machine.computes.end(), [&](const Compute& compute) {
    return std::any_of(compute.capabilities.begin(), compute.capabilities.end(),
                       [&](const Capability& one) { return one.name == capability; });
  });
}

/// The first systolic array of the machine; null if it has none.
const Compute* find_array(const Machine& machine) {
  const auto is_array = [](const Compute& compute) { return compute.unit == UnitKind::kSystolicArray; };
  const auto array = std::ranges::find_if(machine.computes, is_array);
  return array == machine.computes.end() ? nullptr : &*array;
}

}  // namespace

bool is_fixed_point(const Machine& machine) { return offers(machine, "REQUANT_FIXED") && !offers(machine, "REQUANT"); }

bool rounds_half_away(const Compute& compute) {
  const auto found = compute.attributes.find("half_away");
  return compute.unit == UnitKind::kSimdArray && found != compute.attributes.end() &&
         std::get<int64_t>(found->second) != 0;
}

bool rounds_half_away(const Machine& machine) {
  return std::ranges::any_of(machine.computes, [](const Compute& compute) { return rounds_half_away(compute); });
}

Requantization requantization(const Machine& machine) {
  if (!is_fixed_point(machine)) return Requantization::kFloat;
  return rounds_half_away(machine) ? Requantization::kFixedTflite : Requantization::kFixed;
}

uint32_t accumulator_bits(const Compute& compute) {
  const auto found = compute.attributes.find("accumulator");
  return found == compute.attributes.end() ? kWordBits : static_cast<uint32_t>(std::get<int64_t>(found->second));
}

uint32_t accumulator_bits(const Machine& machine) {
  const Compute* array = find_array(machine);
  return array == nullptr ? kWordBits : accumulator_bits(*array);
}

bool saturates(const Compute& compute) {
  const auto found = compute.attributes.find("saturates");
  return found != compute.attributes.end() && std::get<int64_t>(found->second) != 0;
}

bool saturates(const Machine& machine) {
  const Compute* array = find_array(machine);
  return array != nullptr && saturates(*array);
}

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
