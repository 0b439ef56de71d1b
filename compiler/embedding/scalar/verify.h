/// Checks solutions by what they mean, written apart from the propagators that find them.
#pragma once

#include "compiler/embedding/scalar/problem.h"
#include "compiler/embedding/scalar/search.h"

namespace covenant::compiler::embedding::scalar {

/// InternalError unless the solution is one of the problem: scalars that differ in the instruction differ in the
/// workload, edges are data dependences, elements are hyper-rectangles, and the rules hold.
void verify(const Problem& problem, const Solution& solution);

}  // namespace covenant::compiler::embedding::scalar
