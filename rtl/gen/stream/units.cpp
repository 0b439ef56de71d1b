#include "rtl/gen/stream/units.h"

#include <algorithm>
#include <array>

#include "acg/graph/unit_info.h"
#include "rtl/gen/common/operation_names.h"
#include "rtl/gen/stream/dma/dma.h"
#include "rtl/gen/stream/simd_array/simd_array.h"
#include "rtl/gen/stream/systolic_array/systolic_array.h"

namespace covenant::rtl {
namespace {

constexpr std::array<UnitRow, 3> kRows{{
    {acg::UnitKind::kDma, make_dma, dma_package, plain_enumerator},
    {acg::UnitKind::kSystolicArray, make_systolic_array, systolic_array_package, plain_enumerator},
    {acg::UnitKind::kSimdArray, make_simd_array, simd_array_package, simd_array_enumerator},
}};

}  // namespace

std::span<const UnitRow> unit_rows() { return kRows; }

const UnitRow* find_unit_row(acg::UnitKind kind) {
  const auto found = std::ranges::find(kRows, kind, &UnitRow::kind);
  return found == kRows.end() ? nullptr : &*found;
}

std::vector<acg::OperationInfo> built_operations() {
  std::vector<acg::OperationInfo> built;
  for (const acg::OperationInfo& entry : acg::operations()) {
    const bool is_part = acg::info(entry.unit).place == acg::UnitPlace::kPart;
    if (is_part || find_unit_row(entry.unit) != nullptr) built.push_back(entry);
  }
  return built;
}

std::string enumerator(acg::Operation operation) {
  const UnitRow* kind = find_unit_row(acg::info(operation).unit);
  return kind == nullptr ? plain_enumerator(operation) : kind->enumerator(operation);
}

}  // namespace covenant::rtl
