/// Evaluates the expressions of `.acg` texts.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <string>

#include "acg/lang/spec.h"

namespace covenant::acg::lang {

/// Most that a number of 32 bits holds.
inline constexpr uint64_t kAny32 = std::numeric_limits<uint32_t>::max();

/// The value of `expression` in 64 bits, with the parameters in `known`. `/` truncates, `%` has the sign of its left
/// side, comparisons give 1 or 0, and `c ? a : b` evaluates only one of a and b. Functions: ceil_div(a, b) rounds up,
/// clog2(a) is the smallest n with 2^n >= a, min and max take one or more values. `true` is 1 and `false` 0. Throws
/// Failure: ACG0003 (unknown function), ACG0009 (a name that is not a parameter), ACG0010 (overflow), ACG0011 (division
/// by zero), ACG0012 (a decimal), ACG0043 (number of arguments), ACG0044 (no such value: clog2(0), 2 ^ -1).
int64_t evaluate(const Expression& expression, const std::map<std::string, int64_t>& known);

/// Like `evaluate`, but with decimals: sums, products, quotients and signs are computed in floating point, everything
/// else in whole numbers. Throws Failure as `evaluate` does; ACG0010 also if the value is not finite.
double evaluate_real(const Expression& expression, const std::map<std::string, int64_t>& known);

}  // namespace covenant::acg::lang
