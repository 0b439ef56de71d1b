/// Affine data dependence relations between instances of a workload and elements of its tensors.
#pragma once

#include <vector>

#include "compiler/embedding/scalar/box.h"
#include "compiler/embedding/workload.h"

namespace covenant::compiler::embedding::scalar {

/// Indices of a tensor's element, outermost dimension first. Precondition of all functions: their values lie within
/// +-2^62, as those of a workload do.
using Indices = std::vector<AffineIndex>;

/// The element that belongs to the instance: the relation is functional in this direction (Rieber et al., "The
/// Programming of Deep Learning Accelerators as a Constraint Satisfaction Problem", section 3.2).
Tuple element_of(const Indices& indices, const Tuple& instance);

/// Appends disjoint boxes of the instances of `within` that belong to the element: the other direction, in which the
/// relation gives a set. An index with several axes makes a box for each combination of all of them but the longest.
void append_instances(const Indices& indices, const Tuple& element, const Box& within, std::vector<Box>& parts);

/// The smallest box of stride 1 that holds the elements of all `instances`: a tensor with the padding that is read.
Box elements_of(const Indices& indices, const Box& instances);

}  // namespace covenant::compiler::embedding::scalar
