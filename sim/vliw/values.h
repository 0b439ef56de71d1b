/// The functions that execute the vliw_core's operations, by kind: the table of docs/reference/units/vliw_core.md as
/// code.
#pragma once

#include <span>

#include "acg/operations/vliw_operation.h"
#include "sim/vliw/micro_operation.h"

namespace covenant::sim::vliw {

struct Value {
  acg::VliwOperation operation;
  MicroOperation::Execute execute;
};

std::span<const Value> scalar_values();
std::span<const Value> pair_values();
std::span<const Value> predicate_values();
std::span<const Value> branch_values();
std::span<const Value> scalar_memory_values();
std::span<const Value> control_values();
std::span<const Value> memory_values();
std::span<const Value> lane_values();
std::span<const Value> product_values();
std::span<const Value> permutation_values();

}  // namespace covenant::sim::vliw
