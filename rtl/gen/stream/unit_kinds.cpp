#include "rtl/gen/stream/unit_kinds.h"

#include <algorithm>
#include <array>

#include "rtl/gen/common/operation_names.h"
#include "rtl/gen/stream/dma/dma.h"
#include "rtl/gen/stream/simd_array/simd_array.h"
#include "rtl/gen/stream/systolic_array/systolic_array.h"

namespace covenant::rtl {
namespace {

constexpr std::array<UnitKindRow, 3> kKinds{{
    {acg::UnitKind::kDma, make_dma, dma_package, plain_enumerator},
    {acg::UnitKind::kSystolicArray, make_systolic_array, systolic_array_package, plain_enumerator},
    {acg::UnitKind::kSimdArray, make_simd_array, simd_array_package, simd_array_enumerator},
}};

/// The fetch unit, and what covenant_sequencer and covenant_address_generator do in every unit.
constexpr std::array<acg::UnitKind, 3> kShared{acg::UnitKind::kControl, acg::UnitKind::kSequencer,
                                               acg::UnitKind::kAddressGenerator};

}  // namespace

std::span<const UnitKindRow> unit_kinds() { return kKinds; }

const UnitKindRow* find_unit_kind(acg::UnitKind kind) {
  const auto found = std::ranges::find(kKinds, kind, &UnitKindRow::kind);
  return found == kKinds.end() ? nullptr : &*found;
}

std::vector<acg::OperationInfo> built_operations() {
  std::vector<acg::OperationInfo> built;
  for (const acg::OperationInfo& entry : acg::operations()) {
    const bool is_shared = std::ranges::find(kShared, entry.unit) != kShared.end();
    if (is_shared || find_unit_kind(entry.unit) != nullptr) built.push_back(entry);
  }
  return built;
}

std::string enumerator(acg::Operation operation) {
  const UnitKindRow* kind = find_unit_kind(acg::info(operation).unit);
  return kind == nullptr ? plain_enumerator(operation) : kind->enumerator(operation);
}

}  // namespace covenant::rtl
