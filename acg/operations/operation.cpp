#include "acg/operations/operation.h"

#include <fmt/format.h>

#include "acg/base/check.h"
#include "acg/operations/dma_table.h"
#include "acg/operations/shared_table.h"
#include "acg/operations/simd_table.h"
#include "acg/operations/systolic_table.h"
#include "acg/operations/vliw_operation_table.h"

namespace covenant::acg {
namespace {

/// Operands of a described word: its fields, in their order.
constexpr std::array<OperandInfo, kMaxOperands> kDescribedOperands{
    {{"first"}, {"second"}, {"third"}, {"fourth"}, {"fifth"}, {"sixth"}}};

/// The tables of all units, one behind the other, in the order of their numbers.
constexpr std::array<OperationInfo, kOperationCount> all_operations() {
  std::array<OperationInfo, kOperationCount> all{};
  size_t at = 0;
  const auto add = [&](const auto& table) {
    for (const OperationInfo& entry : table) all[at++] = entry;
  };
  const auto add_list = [&](UnitKind unit, const auto& list) {
    for (const auto& entry : list) all[at++] = {operation_of(entry.operation), unit, entry.name, entry.operands};
  };
  add(tables::kControlOperations);
  add(tables::kSequencerOperations);
  add(tables::kAddressGeneratorOperations);
  add(tables::kDmaOperations);
  add(tables::kSystolicOperations);
  add(tables::kSimdOperations);
  add_list(UnitKind::kVliwCore, kVliwOperations);
  all[at] = {kDescribedWord, UnitKind::kDescribed, "word", kDescribedOperands};
  return all;
}
constexpr std::array<OperationInfo, kOperationCount> kOperations = all_operations();

constexpr bool in_order() {
  for (size_t i = 0; i < kOperations.size(); ++i) {
    if (static_cast<size_t>(kOperations[i].operation) != i || kOperations[i].operands.size() > kMaxOperands)
      return false;
  }
  return true;
}
static_assert(in_order(), "the table is indexed by Operation");

}  // namespace

std::span<const OperationInfo> operations() { return kOperations; }

const OperationInfo& info(Operation operation) { return kOperations.at(static_cast<size_t>(operation)); }

std::string qualified_name(Operation operation) {
  return fmt::format("{}.{}", name_of(info(operation).unit), info(operation).name);
}

std::optional<Operation> operation_named(std::string_view name) {
  const size_t dot = name.find('.');
  if (dot == std::string_view::npos) return std::nullopt;
  const std::optional<UnitKind> unit = value_in(kUnitKinds, name.substr(0, dot));
  if (!unit) return std::nullopt;
  for (const OperationInfo& entry : kOperations) {
    if (entry.unit == *unit && entry.name == name.substr(dot + 1)) return entry.operation;
  }
  return std::nullopt;
}

size_t operand_index(Operation operation, std::string_view operand) {
  const OperationInfo& entry = info(operation);
  for (size_t i = 0; i < entry.operands.size(); ++i) {
    if (entry.operands[i].name == operand) return i;
  }
  fail(fmt::format("{} has no operand {}", qualified_name(operation), operand));
}

}  // namespace covenant::acg
