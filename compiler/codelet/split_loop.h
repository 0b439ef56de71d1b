/// Splits a loop into several nested loops over the same elements.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/codelet/codelet.h"

namespace covenant::compiler {

/// `codelet` with the loop over `variable` (from 0 by 1) replaced by one loop for each of `trips`, outermost first, and
/// with every dimension that it indexes split likewise. Nothing if another loop indexes such a dimension, too, or if
/// the dimension has another size. Precondition: bound.
std::optional<codelet::Codelet> with_split_loop(const codelet::Codelet& codelet, const std::string& variable,
                                                const std::vector<int64_t>& trips);

/// Splits dimension `d` of a bound surrogate into dimensions of these sizes, outermost first, whose product is its
/// size.
void split_dimension(codelet::Surrogate& surrogate, size_t d, const std::vector<int64_t>& sizes);

}  // namespace covenant::compiler
