#include "compiler/codelet/paths.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <utility>

#include "acg/graph/queries.h"
#include "acg/graph/unit_info.h"
#include "acg/graph/ways.h"

namespace covenant::compiler {
namespace {

using Memories = std::vector<acg::MemoryId>;

bool contains(const Memories& memories, acg::MemoryId memory) {
  return std::find(memories.begin(), memories.end(), memory) != memories.end();
}

/// True if the memory can hold vectors of this size: scratchpads and register files need whole units.
bool holds_vectors(const acg::Memory& memory, uint64_t vector_bytes) {
  switch (memory.kind) {
    case acg::MemoryKind::kInstruction:
    case acg::MemoryKind::kImmediate:
      return false;
    case acg::MemoryKind::kScratchpad:
    case acg::MemoryKind::kRegisterFile:
      return vector_bytes % memory.unit_bytes() == 0;
    default:
      return true;
  }
}

/// Memories adjacent to the node. Off-chip memory only if there is no other.
Memories next_to(const acg::Machine& machine, acg::ComputeId node, bool is_read, uint64_t vector_bytes) {
  Memories result;
  Memories offchip;
  for (uint32_t i = 0; i < machine.memories.size(); ++i) {
    const acg::MemoryId id{i};
    const bool has_edge =
        is_read ? acg::edge_between(machine, id, node).has_value() : acg::edge_between(machine, node, id).has_value();
    if (!has_edge || !holds_vectors(acg::get(machine, id), vector_bytes)) continue;
    (acg::get(machine, id).kind == acg::MemoryKind::kOffchip ? offchip : result).push_back(id);
  }
  return result.empty() ? offchip : result;
}

/// The name that the unit gives to the `position`-th operand of this kind; nothing if it has none.
std::optional<std::string> role_name(const acg::Compute& compute, acg::AttributeKind kind, size_t position) {
  const acg::UnitInfo* unit = acg::find_compute_unit(compute.unit);
  if (unit == nullptr) return std::nullopt;
  for (const acg::UnitAttribute& attribute : unit->attributes) {
    if (attribute.kind == kind && position-- == 0) return std::string(attribute.name);
  }
  return std::nullopt;
}

/// The one of `memories` that the unit names for the `position`-th operand of this kind; all of them if it names none.
Memories named_by_unit(const acg::Machine& machine, acg::ComputeId node, acg::AttributeKind kind, size_t position,
                       const Memories& memories) {
  const acg::Compute& compute = acg::get(machine, node);
  const std::optional<std::string> name = role_name(compute, kind, position);
  if (!name) return memories;
  const acg::MemoryId named = acg::role(machine, compute, *name);
  return contains(memories, named) ? Memories{named} : Memories{};
}

/// A cache fills itself from the memory behind it: no transfer writes to it.
Memories without_caches(const acg::Machine& machine, Memories path) {
  std::erase_if(path, [&](acg::MemoryId id) { return acg::get(machine, id).kind == acg::MemoryKind::kCache; });
  return path;
}

/// The memories of a path. Nothing if a compute node lies on it.
Memories memories_of(const std::vector<acg::NodeId>& path) {
  Memories result;
  for (const acg::NodeId& node : path) {
    const auto* memory = std::get_if<acg::MemoryId>(&node);
    if (memory == nullptr) return {};
    result.push_back(*memory);
  }
  return result;
}

}  // namespace

Memories input_memories(const acg::Machine& machine, acg::ComputeId node, size_t position, uint64_t vector_bytes) {
  return named_by_unit(machine, node, acg::AttributeKind::kInputRole, position,
                       next_to(machine, node, true, vector_bytes));
}

Memories output_memories(const acg::Machine& machine, acg::ComputeId node, uint64_t vector_bytes) {
  return named_by_unit(machine, node, acg::AttributeKind::kOutputRole, 0, next_to(machine, node, false, vector_bytes));
}

OperandPath path_to_node(const acg::Machine& machine, acg::MemoryId home, acg::ComputeId node, size_t position,
                         uint64_t vector_bytes, const Memories& full) {
  const Memories readable = input_memories(machine, node, position, vector_bytes);
  if (contains(readable, home)) return {true, {}};
  Memories best;
  const auto rank = [&](const Memories& path) { return std::pair(path.size(), contains(full, path.back())); };
  for (const acg::MemoryId memory : readable) {
    Memories path = memories_of(acg::shortest_way(machine, home, memory));
    if (!path.empty() && (best.empty() || rank(path) < rank(best))) best = std::move(path);
  }
  if (best.empty()) return {};
  best.erase(best.begin());
  return {true, without_caches(machine, std::move(best))};
}

OperandPath path_from_node(const acg::Machine& machine, acg::ComputeId node, acg::MemoryId home,
                           uint64_t vector_bytes) {
  const Memories writable = output_memories(machine, node, vector_bytes);
  if (contains(writable, home)) return {true, {}};
  Memories best;
  for (const acg::MemoryId memory : writable) {
    Memories path = memories_of(acg::shortest_way(machine, memory, home));
    if (!path.empty() && (best.empty() || path.size() <= best.size())) best = std::move(path);
  }
  if (best.empty()) return {};
  best.pop_back();
  return {true, without_caches(machine, std::move(best))};
}

bool leads_through_caches(const acg::Machine& machine, acg::MemoryId from, acg::MemoryId to) {
  const Memories way = memories_of(acg::shortest_way(machine, from, to));
  return way.size() > 2 && without_caches(machine, way).size() == 2;
}

Diagnostic no_way(const acg::Machine& machine, const Memories& homes, acg::ComputeId node,
                  std::optional<size_t> position, const Memories& next_to_node, const std::string& tensor) {
  const acg::Compute& compute = acg::get(machine, node);
  const auto kind = position ? acg::AttributeKind::kInputRole : acg::AttributeKind::kOutputRole;
  const std::string role = role_name(compute, kind, position.value_or(0)).value_or(position ? "input" : "output");
  std::vector<std::string> names;
  std::vector<std::string> edges;
  for (const acg::MemoryId home : homes) {
    names.push_back(acg::get(machine, home).name);
    for (const acg::MemoryId memory : next_to_node) {
      const std::string& near = acg::get(machine, memory).name;
      edges.push_back(position ? names.back() + " -> " + near : near + " -> " + names.back());
    }
  }
  const std::string memories = fmt::format("{}", fmt::join(names, " or "));
  std::string fix =
      edges.empty() ? std::string("add edges") : fmt::format("add `edge {} {{ bandwidth = 64; }}`", edges[0]);
  return {"CDL0054",
          {},
          "",
          position
              ? fmt::format("no way leads from {} to the {} of {}", memories, role, compute.name)
              : fmt::format("no way leads from the {} of {} to {}, where results lie", role, compute.name, memories),
          tensor,
          std::move(edges),
          fix + ", or a way through scratchpads"};
}

}  // namespace covenant::compiler
