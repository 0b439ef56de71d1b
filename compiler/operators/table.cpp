#include "compiler/operators/table.h"

#include <algorithm>

#include "compiler/operators/operators.h"

namespace covenant::compiler::operators {

std::vector<const Operator*> all_operators() {
  std::vector<const Operator*> all;
  for (const auto rows : {contraction_operators(), row_operators(), elementwise_operators(), chain_operators(),
                          pool_operators(), softmax_operators(), movement_operators(), boundary_operators()}) {
    for (const Operator& row : rows) all.push_back(&row);
  }
  return all;
}

const Operator* find_operator(std::string_view operation) {
  static const std::vector<const Operator*> kAll = [] {
    std::vector<const Operator*> sorted = all_operators();
    std::ranges::sort(sorted, {}, &Operator::name);
    return sorted;
  }();
  const auto found = std::ranges::lower_bound(kAll, operation, {}, &Operator::name);
  return found != kAll.end() && (*found)->name == operation ? *found : nullptr;
}

bool is(std::string_view operation, OperatorClass kind) {
  const Operator* row = find_operator(operation);
  return row != nullptr && row->kind == kind;
}

bool is_movement(std::string_view operation) { return is(operation, OperatorClass::kMovement); }

Movement movement_of(std::string_view operation) {
  const Operator* row = find_operator(operation);
  return row == nullptr ? Movement::kNone : row->movement;
}

bool is_pair(std::string_view operation) {
  const Operator* row = find_operator(operation);
  return row != nullptr && row->is_pair;
}

}  // namespace covenant::compiler::operators
