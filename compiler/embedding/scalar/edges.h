/// Propagators of the edges of the dataflow graph, and of all-different.
///
/// Source: Rieber, Acosta and Fröning, "The Programming of Deep Learning Accelerators as a Constraint Satisfaction
/// Problem", section 4.1.1 and Figure 2. Each propagator runs when a variable is assigned, and removes from domains of
/// others exactly the values that its constraint and this value exclude. It gives false if a domain has no other ones.
#pragma once

#include <cstddef>
#include <span>

#include "compiler/embedding/scalar/problem.h"
#include "compiler/embedding/scalar/store.h"

namespace covenant::compiler::embedding::scalar {

/// Sequential edges (Figure 2b): neighbours keep the values that the data dependence relations connect with the value.
/// From an operation to elements the relations are functional, so these are assigned; back they give sets.
/// Precondition here and below: the variable is assigned.
bool propagate_dataflow(const Problem& problem, Store& store, size_t variable);

/// Spatial edges: nodes of a parallel set have different elements of the output. Each set is a star: its first node and
/// the variable's exclude each other's element.
bool propagate_parallel(const Problem& problem, Store& store, size_t variable);

/// Variables of one group have different values: the others of the group lose the values of these. Precondition: the
/// variables are assigned, and all of one group.
bool propagate_all_different(const Problem& problem, Store& store, std::span<const size_t> variables);

}  // namespace covenant::compiler::embedding::scalar
