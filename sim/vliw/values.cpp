#include "sim/vliw/values.h"

#include <array>

#include "acg/base/check.h"

namespace covenant::sim::vliw {
namespace {

using Table = std::array<MicroOperation::Execute, acg::kVliwOperationCount>;

Table all_values() {
  Table table{};
  for (const std::span<const Value> values :
       {scalar_values(), pair_values(), predicate_values(), branch_values(), control_values(), memory_values(),
        scalar_memory_values(), lane_values(), product_values(), permutation_values()}) {
    for (const Value& value : values) {
      MicroOperation::Execute& entry = table[static_cast<size_t>(value.operation)];
      check(entry == nullptr, "an operation with two values");
      entry = value.execute;
    }
  }
  for (const MicroOperation::Execute entry : table) check(entry != nullptr, "an operation without a value");
  return table;
}

}  // namespace

MicroOperation::Execute execute_of(acg::VliwOperation operation) {
  static const Table table = all_values();
  return table.at(static_cast<size_t>(operation));
}

}  // namespace covenant::sim::vliw
