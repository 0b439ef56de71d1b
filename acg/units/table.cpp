// The rows of all kinds of units.
#include <algorithm>
#include <array>

#include "acg/base/check.h"
#include "acg/graph/unit_info.h"
#include "acg/units/described.h"
#include "acg/units/dma.h"
#include "acg/units/parts.h"
#include "acg/units/simd_array.h"
#include "acg/units/systolic_array.h"
#include "acg/units/vliw_core.h"

namespace covenant::acg {
namespace {

constexpr std::array kUnits =
    std::to_array<const UnitInfo*>({&units::kControl, &units::kSequencer, &units::kAddressGenerator, &units::kDma,
                                    &units::kSystolicArray, &units::kSimdArray, &units::kVliwCore, &units::kDescribed});
static_assert(kUnits.size() == kUnitKinds.size(), "every kind has a row");

}  // namespace

std::span<const UnitInfo* const> unit_table() { return kUnits; }

const UnitInfo& info(UnitKind kind) {
  const UnitInfo& unit = *kUnits.at(static_cast<size_t>(kind));
  check(unit.kind == kind, "the table of units is indexed by UnitKind");
  return unit;
}

const UnitInfo& edge_unit() {
  return **std::ranges::find_if(kUnits, [](const UnitInfo* unit) { return unit->place == UnitPlace::kEdge; });
}

bool takes_part(const UnitInfo& unit, std::string_view capability, Operation operation) {
  return std::ranges::any_of(unit.capabilities, [&](const UnitCapability& known) {
    return known.name == capability && std::ranges::count(known.operations, operation) > 0;
  });
}

const UnitInfo* find_compute_unit(UnitKind kind) {
  const UnitInfo& unit = info(kind);
  return unit.place == UnitPlace::kNode ? &unit : nullptr;
}

std::optional<UnitKind> compute_unit_named(std::string_view name) {
  const std::optional<UnitKind> kind = value_in(kUnitKinds, name);
  return kind && find_compute_unit(*kind) != nullptr ? kind : std::nullopt;
}

std::vector<std::string> compute_unit_names() {
  std::vector<std::string> names;
  for (const UnitInfo* unit : kUnits) {
    if (unit->place == UnitPlace::kNode) names.emplace_back(name_of(unit->kind));
  }
  return names;
}

}  // namespace covenant::acg
