/// Arithmetic of `.acg` expressions.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "acg/lang/spec.h"

namespace covenant::acg::lang {

/// The value of `expression` with the parameters of `known`, in 64 bits. `/` truncates, `%` has the sign of its left
/// side, comparisons give 1 or 0, of `c ? a : b` one side is evaluated. Functions: ceil_div(a, b) rounds up, clog2(a)
/// is the smallest n with 2^n >= a, min and max take one value or more. `true` is 1 and `false` 0.
/// Throws Failure: ACG0003 (unknown function), ACG0009 (a name that is no parameter), ACG0010 (overflow), ACG0011
/// (division by zero), ACG0012 (a decimal), ACG0043 (number of arguments), ACG0044 (no such value: clog2(0), 2 ^ -1).
int64_t evaluate(const Expression& expression, const std::map<std::string, int64_t>& known);

/// As `evaluate`, with decimals: sums, products, quotients and signs are computed in floating point, all else as whole
/// numbers. Throws Failure as `evaluate` does; ACG0010 also if the value is not finite.
double evaluate_real(const Expression& expression, const std::map<std::string, int64_t>& known);

}  // namespace covenant::acg::lang
