/// The memories that an operand crosses between its tensor and the node that works on it.
///
/// Operands may lie in memories of any kind except instruction and immediate memories. Scratchpads and register files
/// are addressed in units: they can hold an operand only if their unit divides the bytes that the node takes at once,
/// so that every vector starts at a unit. A path may cross a cache, but no operand is placed in one, because a cache
/// fetches its data itself.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "acg/base/diagnostic.h"
#include "acg/graph/graph.h"

namespace covenant::compiler {

/// Memories from which `node` may read operand number `position` (as declared): the one that its unit names for this
/// operand (the input roles of the unit kind, in order), or else every memory with an edge to the node.
std::vector<acg::MemoryId> input_memories(const acg::Machine& machine, acg::ComputeId node, size_t position,
                                          uint64_t vector_bytes);
/// Memories to which `node` may write its result.
std::vector<acg::MemoryId> output_memories(const acg::Machine& machine, acg::ComputeId node, uint64_t vector_bytes);

/// A path between a tensor's memory, `home`, and a node.
struct OperandPath {
  bool is_there = false;                ///< there is a path through memories alone
  std::vector<acg::MemoryId> memories;  ///< in the direction of the data, without `home` and caches; empty: the node
                                        ///< works on `home`
};

/// The shortest path from `home` to one of `input_memories`; among equally long ones, that to the first declared that
/// is not among `full`, if there is one.
OperandPath path_to_node(const acg::Machine& machine, acg::MemoryId home, acg::ComputeId node, size_t position,
                         uint64_t vector_bytes, const std::vector<acg::MemoryId>& full = {});
/// The shortest path from one of `output_memories` to `home`; among equally long ones, that from the last declared.
OperandPath path_from_node(const acg::Machine& machine, acg::ComputeId node, acg::MemoryId home, uint64_t vector_bytes);

/// True if only caches lie between two memories: one transfer then moves data from one to the other.
bool leads_through_caches(const acg::Machine& machine, acg::MemoryId from, acg::MemoryId to);

/// The diagnostic CDL0054: names the edge that is missing between an operand's memories and that of its tensor.
/// `homes`: this memory, or all candidates. `position`: position of the operand; nothing for the result.
Diagnostic no_way(const acg::Machine& machine, const std::vector<acg::MemoryId>& homes, acg::ComputeId node,
                  std::optional<size_t> position, const std::vector<acg::MemoryId>& next_to_node,
                  const std::string& tensor);

}  // namespace covenant::compiler
