/// The memories that operands cross on their way between where they lie and the node that works on them.
#pragma once

#include <vector>

#include "acg/graph/graph.h"

namespace covenant::compiler {

/// Memories on the shortest way from `home` to `node` for its operand `position`, in order, `home` left out; empty if
/// the node reads `home` itself, or if there is no way. The last one is the memory that the node's unit names for this
/// operand, or else one next to the node: whose unit divides `vector_bytes`, if there is such a one.
std::vector<acg::MemoryId> path_to_node(const acg::Machine& machine, acg::MemoryId home, acg::ComputeId node,
                                        size_t position, uint64_t vector_bytes);

/// The same from `node` back to `home`; the first one is the memory that the node writes.
std::vector<acg::MemoryId> path_from_node(const acg::Machine& machine, acg::ComputeId node, acg::MemoryId home,
                                          uint64_t vector_bytes);

/// True if an edge leads from the memory to the node (`is_read`), or from the node to it.
bool is_next_to(const acg::Machine& machine, acg::MemoryId memory, acg::ComputeId node, bool is_read);

}  // namespace covenant::compiler
