/// Where the operands of a compute node may lie.
#pragma once

#include <vector>

#include "acg/graph/graph.h"

namespace covenant::compiler {

/// Scratchpads from which `node` may read its operand `position` (as declared): the memory that its unit names for this
/// operand (the input roles of the unit kind, in order), or else every one with an edge to the node.
/// Only memories whose unit divides `vector_bytes`, so that every vector starts one.
std::vector<acg::MemoryId> input_memories(const acg::Machine& machine, acg::ComputeId node, size_t position,
                                          uint64_t vector_bytes);
/// Scratchpads to which `node` may write its result.
std::vector<acg::MemoryId> output_memories(const acg::Machine& machine, acg::ComputeId node, uint64_t vector_bytes);

/// Scratchpads on the shortest way from `outermost` to one of `candidates` (first declared among the nearest), in order
/// of the way, `outermost` not included. Empty if none can be reached through memories alone.
std::vector<acg::MemoryId> load_path(const acg::Machine& machine, acg::MemoryId outermost,
                                     const std::vector<acg::MemoryId>& candidates);
/// The same from one of `candidates` (last declared among the nearest) to `outermost`.
std::vector<acg::MemoryId> store_path(const acg::Machine& machine, acg::MemoryId outermost,
                                      const std::vector<acg::MemoryId>& candidates);

}  // namespace covenant::compiler
