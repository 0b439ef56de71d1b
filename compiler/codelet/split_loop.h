/// One loop becomes several that together go over the same elements.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/codelet/codelet.h"

namespace covenant::compiler {

/// `codelet` with the loop over `variable`, which runs from 0 by 1, as one loop for each of `trips`, outermost first,
/// and every dimension that it indexes as as many. Nothing if a dimension is indexed by more than that loop, or is of
/// another size. Precondition: bound.
std::optional<codelet::Codelet> with_split_loop(const codelet::Codelet& codelet, const std::string& variable,
                                                const std::vector<int64_t>& trips);

/// Dimension `d` of a bound surrogate as several of these sizes, outermost first, which multiply to its own.
void split_dimension(codelet::Surrogate& surrogate, size_t d, const std::vector<int64_t>& sizes);

}  // namespace covenant::compiler
