/// The memories that operands cross between where their tensor lies and the node that works on them.
///
/// Operands lie in memories of any kind but those of instructions and immediates. Of scratchpads and register files,
/// whose addresses count units, only those serve whose unit divides what the node takes at once, so that every vector
/// starts one. A cache is crossed, but holds no operand: what it has, it has fetched itself.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "acg/base/diagnostic.h"
#include "acg/graph/graph.h"

namespace covenant::compiler {

/// Memories from which `node` may read its operand `position` (as declared): the one that its unit names for this
/// operand (the input roles of the unit kind, in order), or else every one with an edge to the node.
std::vector<acg::MemoryId> input_memories(const acg::Machine& machine, acg::ComputeId node, size_t position,
                                          uint64_t vector_bytes);
/// Memories to which `node` may write its result.
std::vector<acg::MemoryId> output_memories(const acg::Machine& machine, acg::ComputeId node, uint64_t vector_bytes);

/// A way between a tensor's memory, `home`, and a node.
struct OperandPath {
  bool is_there = false;                ///< there is a way through memories alone
  std::vector<acg::MemoryId> memories;  ///< in the order of the data, without `home` and caches; empty: the node works
                                        ///< on `home`
};

/// The shortest way from `home` to one of `input_memories`; of equally long ones that to the first declared.
OperandPath path_to_node(const acg::Machine& machine, acg::MemoryId home, acg::ComputeId node, size_t position,
                         uint64_t vector_bytes);
/// The shortest way from one of `output_memories` to `home`; of equally long ones that from the last declared.
OperandPath path_from_node(const acg::Machine& machine, acg::ComputeId node, acg::MemoryId home, uint64_t vector_bytes);

/// True if nothing but caches lies between two memories: what moves from one to the other has one transfer.
bool leads_through_caches(const acg::Machine& machine, acg::MemoryId from, acg::MemoryId to);

/// Says (CDL0054) which edge is missing between an operand's memories and the one in which its tensor lies. `homes`:
/// that one, or all in which it might. `position`: of the operand; nothing for the result.
Diagnostic no_way(const acg::Machine& machine, const std::vector<acg::MemoryId>& homes, acg::ComputeId node,
                  std::optional<size_t> position, const std::vector<acg::MemoryId>& next_to_node,
                  const std::string& tensor);

}  // namespace covenant::compiler
