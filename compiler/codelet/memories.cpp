#include "compiler/codelet/memories.h"

#include <algorithm>

#include "acg/graph/compute_units.h"
#include "acg/graph/queries.h"

namespace covenant::compiler {
namespace {

/// Names of the unit's attributes of this kind, in order: `input weight bias`.
std::vector<std::string_view> roles(const acg::Compute& node, acg::AttributeKind kind) {
  std::vector<std::string_view> names;
  const acg::ComputeUnit* unit = acg::find_compute_unit(node.unit);
  if (unit == nullptr) return names;
  for (const acg::UnitAttribute& attribute : unit->attributes) {
    if (attribute.kind == kind) names.push_back(attribute.name);
  }
  return names;
}

std::vector<acg::MemoryId> with_edge(const acg::Machine& machine, acg::ComputeId node, bool is_read,
                                     uint64_t vector_bytes) {
  std::vector<acg::MemoryId> result;
  for (uint32_t i = 0; i < machine.memories.size(); ++i) {
    const acg::MemoryId id{i};
    const bool has_edge =
        is_read ? acg::edge_between(machine, id, node).has_value() : acg::edge_between(machine, node, id).has_value();
    const acg::Memory& memory = acg::get(machine, id);
    if (has_edge && memory.kind == acg::MemoryKind::kScratchpad && vector_bytes % memory.unit_bytes() == 0) {
      result.push_back(id);
    }
  }
  return result;
}

std::vector<acg::MemoryId> only(const std::vector<acg::MemoryId>& memories, acg::MemoryId wanted) {
  if (std::find(memories.begin(), memories.end(), wanted) == memories.end()) return {};
  return {wanted};
}

/// The memories of a path, or nothing if a compute node lies on it.
std::vector<acg::MemoryId> memories_of(const std::vector<acg::NodeId>& path) {
  std::vector<acg::MemoryId> result;
  for (const acg::NodeId& node : path) {
    const auto* memory = std::get_if<acg::MemoryId>(&node);
    if (memory == nullptr) return {};
    result.push_back(*memory);
  }
  return result;
}

}  // namespace

std::vector<acg::MemoryId> input_memories(const acg::Machine& machine, acg::ComputeId node, size_t position,
                                          uint64_t vector_bytes) {
  const std::vector<acg::MemoryId> readable = with_edge(machine, node, true, vector_bytes);
  const acg::Compute& compute = acg::get(machine, node);
  const std::vector<std::string_view> names = roles(compute, acg::AttributeKind::kInputRole);
  return position < names.size() ? only(readable, acg::role(machine, compute, names[position])) : readable;
}

std::vector<acg::MemoryId> output_memories(const acg::Machine& machine, acg::ComputeId node, uint64_t vector_bytes) {
  const std::vector<acg::MemoryId> writable = with_edge(machine, node, false, vector_bytes);
  const acg::Compute& compute = acg::get(machine, node);
  const std::vector<std::string_view> names = roles(compute, acg::AttributeKind::kOutputRole);
  return names.empty() ? writable : only(writable, acg::role(machine, compute, names[0]));
}

std::vector<acg::MemoryId> load_path(const acg::Machine& machine, acg::MemoryId outermost,
                                     const std::vector<acg::MemoryId>& candidates) {
  std::vector<acg::MemoryId> best;
  for (const acg::MemoryId candidate : candidates) {
    std::vector<acg::MemoryId> path = memories_of(acg::shortest_path(machine, outermost, candidate));
    if (path.size() > 1 && (best.empty() || path.size() < best.size())) best = std::move(path);
  }
  if (!best.empty()) best.erase(best.begin());
  return best;
}

std::vector<acg::MemoryId> store_path(const acg::Machine& machine, acg::MemoryId outermost,
                                      const std::vector<acg::MemoryId>& candidates) {
  std::vector<acg::MemoryId> best;
  for (const acg::MemoryId candidate : candidates) {
    std::vector<acg::MemoryId> path = memories_of(acg::shortest_path(machine, candidate, outermost));
    if (path.size() > 1 && (best.empty() || path.size() <= best.size())) best = std::move(path);
  }
  if (!best.empty()) best.pop_back();
  return best;
}

}  // namespace covenant::compiler
