#include "acg/graph/numerics.h"

#include <algorithm>
#include <optional>
#include <span>
#include <string_view>

#include "acg/base/accumulator.h"
#include "acg/graph/unit_info.h"

namespace covenant::acg {
namespace {

bool offers(const Machine& machine, std::string_view capability) {
  return std::any_of(machine.computes.begin(), machine.computes.end(), [&](const Compute& compute) {
    return std::any_of(compute.capabilities.begin(), compute.capabilities.end(),
                       [&](const Capability& one) { return one.name == capability; });
  });
}

const UnitAttribute* attribute_of(const Compute& compute, Numerics what) {
  const std::span<const UnitAttribute> attributes = info(compute.unit).attributes;
  const auto found = std::ranges::find(attributes, what, &UnitAttribute::declares);
  return found == attributes.end() ? nullptr : &*found;
}

/// Value that the node declares by an attribute of its unit; nothing if the unit has none for this.
std::optional<int64_t> declared(const Compute& compute, Numerics what) {
  const UnitAttribute* attribute = attribute_of(compute, what);
  if (attribute == nullptr) return std::nullopt;
  const auto said = compute.attributes.find(std::string(attribute->name));
  return said == compute.attributes.end() ? attribute->otherwise : std::get<int64_t>(said->second);
}

/// The same for the machine: by the first node whose unit has such an attribute.
std::optional<int64_t> declared(const Machine& machine, Numerics what) {
  for (const Compute& compute : machine.computes) {
    if (const std::optional<int64_t> value = declared(compute, what)) return value;
  }
  return std::nullopt;
}

}  // namespace

bool is_fixed_point(const Machine& machine) { return offers(machine, "REQUANT_FIXED") && !offers(machine, "REQUANT"); }

bool rounds_half_away(const Compute& compute) { return declared(compute, Numerics::kHalvesAway).value_or(0) != 0; }

bool rounds_half_away(const Machine& machine) {
  return std::ranges::any_of(machine.computes, [](const Compute& compute) { return rounds_half_away(compute); });
}

Requantization requantization(const Machine& machine) {
  if (!is_fixed_point(machine)) return Requantization::kFloat;
  return rounds_half_away(machine) ? Requantization::kFixedTflite : Requantization::kFixed;
}

uint32_t accumulator_bits(const Compute& compute) {
  return static_cast<uint32_t>(declared(compute, Numerics::kAccumulatorBits).value_or(kWordBits));
}

uint32_t accumulator_bits(const Machine& machine) {
  return static_cast<uint32_t>(declared(machine, Numerics::kAccumulatorBits).value_or(kWordBits));
}

bool saturates(const Compute& compute) { return declared(compute, Numerics::kSaturation).value_or(0) != 0; }

bool saturates(const Machine& machine) { return declared(machine, Numerics::kSaturation).value_or(0) != 0; }

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
