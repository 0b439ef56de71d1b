/// Computes which values the indices of a codelet take, and checks them.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "acg/base/result.h"
#include "compiler/codelet/codelet.h"

namespace covenant::compiler::codelet {

/// A range of integers, `lowest` and `highest` included.
struct Range {
  int64_t lowest = 0;
  int64_t highest = 0;
};

/// The range of `expression` if each name takes all values of its range. Exact for affine expressions of independent
/// names, otherwise a bound. Precondition: every name has a range.
Range range_of(const Expression& expression, const std::map<std::string, Range>& names);

/// Checks that the attributes of a quantising compute fit its result: `zero_point`, `lowest` and `highest` are values
/// of its dtype, and lowest <= highest. Precondition: bound. Error: CDL0025.
Status check_attributes(const Codelet& codelet);

/// Checks that every index of a compute stays inside of its tensor; reads may leave an `inp` that has a fill value
/// (`fill=`). Precondition: bound; computes without a location, which work on scalars. Error: CDL0024.
Status check_indices(const Codelet& codelet);

}  // namespace covenant::compiler::codelet
