/// Integer arithmetic of `.acg` expressions.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "acg/lang/spec.h"

namespace covenant::acg::lang {

/// The value of `expression` with the parameters of `known`, in 64 bits; division truncates.
/// Throws Failure: ACG0009 (a name that is no parameter), ACG0010 (overflow), ACG0011 (division by zero).
int64_t evaluate(const Expression& expression, const std::map<std::string, int64_t>& known);

}  // namespace covenant::acg::lang
