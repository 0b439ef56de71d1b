/// Paths of the operands of a whole codelet: each has a local next to its node, with a channel of its own.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "acg/graph/graph.h"
#include "compiler/codelet/paths.h"

namespace covenant::compiler {

/// Two passes that ask for the operands of a codelet in the order of its computes get the same paths.
class OperandPaths {
 public:
  explicit OperandPaths(const acg::Machine& machine) : machine_(machine) {}

  /// `path_to_node`, past memories of which other operands take every channel.
  OperandPath to_node(const std::string& tensor, acg::MemoryId home, acg::ComputeId node, size_t position,
                      uint64_t vector_bytes);
  /// `path_from_node`.
  OperandPath from_node(const std::string& tensor, acg::MemoryId home, acg::ComputeId node, uint64_t vector_bytes);

 private:
  using Operand = std::pair<std::string, size_t>;  ///< tensor, and position among the operands of its compute

  const acg::Machine& machine_;
  std::map<acg::MemoryId, std::set<Operand>> operands_;  ///< by the memory next to their node
};

}  // namespace covenant::compiler
