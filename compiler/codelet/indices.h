/// Which values the indices of a codelet take.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "acg/base/result.h"
#include "compiler/codelet/codelet.h"

namespace covenant::compiler::codelet {

/// From `lowest` to `highest`, both included.
struct Range {
  int64_t lowest = 0;
  int64_t highest = 0;
};

/// The values of `expression` while each name takes those of its range: bounds, exact for affine expressions of
/// independent names. Precondition: every name has a range.
Range range_of(const Expression& expression, const std::map<std::string, Range>& names);

/// What a quantising compute is given fits its result: `zero_point`, `lowest` and `highest` are values of its dtype,
/// the second not above the third. Precondition: bound. Error: CDL0025.
Status check_attributes(const Codelet& codelet);

/// Every index of a compute stays inside of its tensor; reads may leave an `inp` that says what they give (`fill=`).
/// Precondition: bound; computes without location, which work on scalars. Error: CDL0024.
Status check_indices(const Codelet& codelet);

}  // namespace covenant::compiler::codelet
