#include "sim/stream/units.h"

#include <algorithm>
#include <array>

#include "acg/base/check.h"
#include "sim/stream/dma/dma.h"
#include "sim/stream/simd_array/simd_array.h"
#include "sim/stream/systolic_array/systolic_array.h"

namespace covenant::sim {
namespace {

constexpr std::array<const UnitRow*, 3> kRows{&kSystolicArrayRow, &kSimdArrayRow, &kDmaRow};

}  // namespace

std::span<const UnitRow* const> unit_rows() { return kRows; }

const UnitRow* find_unit(acg::UnitKind kind) {
  const auto* const found =
      std::find_if(kRows.begin(), kRows.end(), [kind](const UnitRow* row) { return row->kind == kind; });
  return found == kRows.end() ? nullptr : *found;
}

const UnitRow& unit_row(acg::UnitKind kind) {
  const UnitRow* const row = find_unit(kind);
  check(row != nullptr, "an engine of a unit that has no model");
  return *row;
}

bool uses_port(acg::Operation operation) {
  const UnitRow* const row = find_unit(acg::info(operation).unit);
  return row != nullptr && row->uses_port(operation);
}

bool comes_before(const UnitRow& one, const UnitRow& other) {
  const auto place = [](const UnitRow& row) { return std::find(kRows.begin(), kRows.end(), &row); };
  return place(one) < place(other);
}

double utilisation(const BlockStatistics& block, const acg::Machine& machine, const acg::Engine& engine) {
  const UnitRow& row = unit_row(engine.unit);
  if (row.work == nullptr || block.cycles == 0) return 0;
  const auto most = static_cast<double>(row.work_per_cycle(machine, engine)) * static_cast<double>(block.cycles);
  return static_cast<double>(block.*row.work) / most;
}

}  // namespace covenant::sim
