/// Rows of the table of operators, by the file that has them.
#pragma once

#include <span>

#include "compiler/operators/operator.h"

namespace covenant::compiler::operators {

std::span<const Operator> boundary_operators();
std::span<const Operator> chain_operators();
std::span<const Operator> contraction_operators();
std::span<const Operator> elementwise_operators();
std::span<const Operator> movement_operators();
std::span<const Operator> pool_operators();
std::span<const Operator> row_operators();
std::span<const Operator> softmax_operators();

}  // namespace covenant::compiler::operators
