/// The dataflow graph of an instruction: one variable for each of its scalars.
///
/// Source: Rieber, Acosta and Fröning, "The Programming of Deep Learning Accelerators as a Constraint Satisfaction
/// Problem", sections 3.1 and 4.1 (Definition 4.2). All additions to one element are one node: they commute.
#pragma once

#include <cstddef>
#include <vector>

#include "compiler/embedding/instruction.h"

namespace covenant::compiler::embedding::scalar {

/// Nodes of one group: variables first, first + 1, ..., in the order of their positions, the last axis fastest.
struct Nodes {
  size_t first = 0;
  size_t count = 0;
  size_t end() const { return first + count; }
  bool contains(size_t variable) const { return variable >= first && variable < end(); }
};

/// Variables are numbered in the order of branching, backwards through the graph: sums, operations, elements of inputs.
struct Graph {
  Nodes sums;
  Nodes operations;
  std::vector<Nodes> inputs;
  // Sequential edges.
  std::vector<size_t> sum_of;                      ///< by operation, counted from `operations.first`
  std::vector<std::vector<size_t>> inputs_of;      ///< by operation: an element of each input
  std::vector<std::vector<size_t>> operations_of;  ///< by variable: operations that it shares an edge with
  // Spatial edges: nodes that do the same for different elements of the output.
  std::vector<std::vector<size_t>> parallel;  ///< sets of them; each node is joined to the first one of its set
  std::vector<size_t> parallel_set_of;        ///< by variable below `operations.end()`

  size_t variables() const { return operations_of.size(); }
};

/// Precondition: no axis indexes an operand twice.
Graph graph_of(const Instruction& instruction);

}  // namespace covenant::compiler::embedding::scalar
