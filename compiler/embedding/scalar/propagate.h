/// Propagation of all constraints until none of them removes a value.
#pragma once

#include <cstddef>

#include "compiler/embedding/scalar/problem.h"
#include "compiler/embedding/scalar/store.h"

namespace covenant::compiler::embedding::scalar {

/// Propagates before the search: the rules about single variables, then all others. Gives false if a domain has become
/// empty: there is no solution.
bool propagate_root(const Problem& problem, Store& store);

/// Propagates the variables that have been assigned since the store's list of them had `known` entries, and those that
/// follow from them. Gives false if a domain would become empty. Precondition: all before were propagated.
bool propagate(const Problem& problem, Store& store, size_t known);

}  // namespace covenant::compiler::embedding::scalar
