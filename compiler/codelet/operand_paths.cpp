#include "compiler/codelet/operand_paths.h"

#include <algorithm>
#include <string_view>

#include "acg/graph/compute_units.h"
#include "acg/graph/queries.h"
#include "compiler/codelet/memories.h"

namespace covenant::compiler {
namespace {

/// The memory that the unit of `node` names for its `position`-th operand of this kind.
std::vector<acg::MemoryId> named_by_unit(const acg::Machine& machine, acg::ComputeId node, acg::AttributeKind kind,
                                         size_t position) {
  const acg::Compute& compute = acg::get(machine, node);
  const acg::ComputeUnit* unit = acg::find_compute_unit(compute.unit);
  if (unit == nullptr) return {};
  for (const acg::UnitAttribute& attribute : unit->attributes) {
    if (attribute.kind == kind && position-- == 0) return {acg::role(machine, compute, attribute.name)};
  }
  return {};
}

std::vector<acg::MemoryId> neighbours(const acg::Machine& machine, acg::ComputeId node, bool is_read) {
  std::vector<acg::MemoryId> result;
  for (uint32_t i = 0; i < machine.memories.size(); ++i) {
    const acg::MemoryKind kind = machine.memories[i].kind;
    if (kind == acg::MemoryKind::kInstruction || kind == acg::MemoryKind::kImmediate) continue;
    if (is_next_to(machine, {i}, node, is_read)) result.push_back({i});
  }
  return result;
}

}  // namespace

bool is_next_to(const acg::Machine& machine, acg::MemoryId memory, acg::ComputeId node, bool is_read) {
  return is_read ? acg::edge_between(machine, memory, node).has_value()
                 : acg::edge_between(machine, node, memory).has_value();
}

std::vector<acg::MemoryId> path_to_node(const acg::Machine& machine, acg::MemoryId home, acg::ComputeId node,
                                        size_t position, uint64_t vector_bytes) {
  std::vector<acg::MemoryId> candidates = input_memories(machine, node, position, vector_bytes);
  if (candidates.empty()) candidates = named_by_unit(machine, node, acg::AttributeKind::kInputRole, position);
  if (candidates.empty()) candidates = neighbours(machine, node, true);
  if (std::find(candidates.begin(), candidates.end(), home) != candidates.end()) return {};
  return load_path(machine, home, candidates);
}

std::vector<acg::MemoryId> path_from_node(const acg::Machine& machine, acg::ComputeId node, acg::MemoryId home,
                                          uint64_t vector_bytes) {
  std::vector<acg::MemoryId> candidates = output_memories(machine, node, vector_bytes);
  if (candidates.empty()) candidates = named_by_unit(machine, node, acg::AttributeKind::kOutputRole, 0);
  if (candidates.empty()) candidates = neighbours(machine, node, false);
  if (std::find(candidates.begin(), candidates.end(), home) != candidates.end()) return {};
  return store_path(machine, home, candidates);
}

}  // namespace covenant::compiler
