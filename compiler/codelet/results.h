/// Checks that a codelet computes all of its results.
#pragma once

#include "acg/base/result.h"
#include "compiler/codelet/codelet.h"

namespace covenant::compiler::codelet {

/// Checks that every element of each `out` and `local` is written, and that each `local` is read. Precondition: bound;
/// computes without a location, which work on scalars. Error: CDL0026.
Status check_results(const Codelet& codelet);

}  // namespace covenant::compiler::codelet
