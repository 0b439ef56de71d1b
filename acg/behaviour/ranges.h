/// Ranges of exact arithmetic: what an operation can give, from what its operands can be.
#pragma once

#include <optional>
#include <vector>

#include "acg/behaviour/code.h"

namespace covenant::acg::behaviour {

/// The range of `op` over numbers of these ranges; no value if it may leave 64 bits, or if an operand has numbers for
/// which the operation means nothing: a shift by less than 0 or more than 63, the remainder of a negative number.
/// A divisor may be 0, and the operand of log2 0 or negative: the machine faults when it is.
std::optional<Range> range_of(Op op, const std::vector<Range>& operands);

/// The range of a sum of `terms` numbers, how many is known to lie in a range.
std::optional<Range> range_of_sum(const Range& terms, const Range& one);

}  // namespace covenant::acg::behaviour
