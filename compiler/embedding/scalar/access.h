/// Propagators of the rules about memory: fixed origin and linear access.
///
/// Source: Rieber, Acosta and Fröning, "The Programming of Deep Learning Accelerators as a Constraint Satisfaction
/// Problem", sections 4.1.3 and 5.2. Each gives false if a domain would become empty.
#pragma once

#include <cstddef>

#include "compiler/embedding/scalar/problem.h"
#include "compiler/embedding/scalar/store.h"

namespace covenant::compiler::embedding::scalar {

/// The first variable of the output, and of each input, is the first value of its group's domain.
bool fix_origins(const Problem& problem, Store& store);

/// Elements of an input are alike in the dimensions that several axes index (stencils): the other variables of the
/// input keep values that are as the variable's there. Precondition: the variable is assigned.
bool propagate_linear_access(const Problem& problem, Store& store, size_t input, size_t variable);

}  // namespace covenant::compiler::embedding::scalar
