#include "compiler/codelet/operand_paths.h"

#include <limits>
#include <vector>

#include "acg/graph/queries.h"

namespace covenant::compiler {

OperandPath OperandPaths::to_node(const std::string& tensor, acg::MemoryId home, acg::ComputeId node, size_t position,
                                  uint64_t vector_bytes) {
  const Operand operand{tensor, position};
  std::vector<acg::MemoryId> full;
  for (const auto& [memory, operands] : operands_) {
    if (operands.size() >= acg::get(machine_, memory).channels && !operands.contains(operand)) full.push_back(memory);
  }
  OperandPath path = path_to_node(machine_, home, node, position, vector_bytes, full);
  if (!path.memories.empty()) operands_[path.memories.back()].insert(operand);
  return path;
}

OperandPath OperandPaths::from_node(const std::string& tensor, acg::MemoryId home, acg::ComputeId node,
                                    uint64_t vector_bytes) {
  OperandPath path = path_from_node(machine_, node, home, vector_bytes);
  const Operand result{tensor, std::numeric_limits<size_t>::max()};
  if (!path.memories.empty()) operands_[path.memories.front()].insert(result);
  return path;
}

}  // namespace covenant::compiler
