// The rows of all kinds of which random machines are made.
#include <algorithm>
#include <array>

#include "fuzz/random_unit.h"
#include "fuzz/units/dma.h"
#include "fuzz/units/parts.h"
#include "fuzz/units/simd_array.h"
#include "fuzz/units/systolic_array.h"

namespace covenant::runtime {
namespace {

constexpr std::array kUnits{&units::kControl, &units::kSequencer,     &units::kAddressGenerator,
                            &units::kDma,     &units::kSystolicArray, &units::kSimdArray};

}  // namespace

std::span<const RandomUnit* const> random_units() { return kUnits; }

const RandomUnit* find_random_unit(acg::UnitKind kind) {
  const auto found = std::ranges::find(kUnits, kind, &RandomUnit::kind);
  return found == kUnits.end() ? nullptr : *found;
}

}  // namespace covenant::runtime
