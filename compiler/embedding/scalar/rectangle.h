/// Axis-parallel hyper-rectangles from ordered points.
///
/// Source: Rieber, Acosta and Fröning, "The Programming of Deep Learning Accelerators as a Constraint Satisfaction
/// Problem", section 4.1.2, Figure 3 and Equation 10.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "compiler/embedding/scalar/problem.h"
#include "compiler/embedding/scalar/store.h"

namespace covenant::compiler::embedding::scalar {

/// The smallest box that holds every hyper-rectangle of `total` points whose first ones are `points`; nothing if there
/// is none. A hyper-rectangle has sides along different dimensions, each with a length of at least 2 and a stride; its
/// points are ordered with one side fastest, then the next one, in any order of sides, by rising index. Dense: all
/// strides are 1. `whole` limits what nothing else does; it contains all points.
///
///     points (0,0) (0,1) (0,2) (0,3) (1,0) of 16, whole 8 x 8  ->  [0,4) x [0,4)                  (Figure 4)
std::optional<Box> bounding_box(std::span<const Tuple> points, int64_t total, bool is_dense, const Box& whole);

/// Elements of the output or of an input form a hyper-rectangle. Narrows the domains of its variables to the bounding
/// box of those at the beginning that are assigned; gives false if there is none.
bool propagate_output_rectangle(const Problem& problem, Store& store);
bool propagate_input_rectangle(const Problem& problem, Store& store, size_t input);

}  // namespace covenant::compiler::embedding::scalar
