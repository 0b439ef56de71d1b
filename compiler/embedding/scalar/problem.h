/// The constraint satisfaction problem of an embedding: variables, domains, constraints.
///
/// Source: Rieber, Acosta and Fröning, "The Programming of Deep Learning Accelerators as a Constraint Satisfaction
/// Problem", sections 4.1 and 5.2.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "compiler/embedding/instruction.h"
#include "compiler/embedding/scalar/affine.h"
#include "compiler/embedding/scalar/graph.h"
#include "compiler/embedding/workload.h"

namespace covenant::compiler::embedding::scalar {

/// Constraints beside those that always hold: dataflow, all different, and that elements of each input and of the
/// output form an axis-parallel hyper-rectangle.
struct ScalarRules {
  bool is_dense = true;          ///< no strides in hyper-rectangles
  bool has_fixed_origin = true;  ///< the first element of each input, and of the output, is the first of its tensor
  bool is_linear = true;         ///< elements of an input differ only in dimensions that one axis indexes
  bool operator==(const ScalarRules&) const = default;
};

/// The values that variables of sums have. It makes a difference to the effort of a search, not to what is found.
enum class SumDomain : uint8_t {
  kElements,   ///< elements of the output: additions to one element are one node of the operator's graph, too
  kInstances,  ///< the instance set, as Definition 4.2 has it: one of the additions to the element
};

struct Problem {
  Workload workload;
  Instruction instruction;
  ScalarRules rules;
  SumDomain sums = SumDomain::kElements;
  Graph graph;
  // Domains before any propagation, one box for each group of variables.
  Box instances;                                       ///< of operations
  Box output;                                          ///< of sums
  std::vector<Box> inputs;                             ///< of elements of inputs: all that are read, padding included
  std::vector<std::vector<size_t>> shared_dimensions;  ///< by input: dimensions that several axes index, as stencils do
};

/// The workload's inputs are taken for those of the instruction in their order. Precondition: equally many.
Problem problem_of(Workload workload, Instruction instruction, const ScalarRules& rules,
                   SumDomain sums = SumDomain::kElements);

/// The problem with smaller domains: dimensions of the instance set and of the output have at most `bound` values,
/// those of inputs `bound` times the stride with which they are indexed (section 7, Equation 11). Solutions outside are
/// lost.
Problem bounded(Problem problem, int64_t bound);

/// The element of the output that a value of a sum's variable stands for.
Tuple output_element(const Problem& problem, const Tuple& value);

}  // namespace covenant::compiler::embedding::scalar
