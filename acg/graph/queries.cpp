#include "acg/graph/queries.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <limits>

#include "acg/base/check.h"
#include "acg/graph/unit_info.h"
#include "acg/graph/ways.h"

namespace covenant::acg {
namespace {

constexpr uint64_t kUnreachable = std::numeric_limits<uint64_t>::max();

/// The number of a node: memories first, then compute nodes, both as declared.
size_t number_of(const Machine& machine, NodeId node) {
  if (const auto* memory = std::get_if<MemoryId>(&node)) return memory->value;
  return machine.memories.size() + std::get<ComputeId>(node).value;
}

NodeId node_at(const Machine& machine, size_t number) {
  if (number < machine.memories.size()) return MemoryId{static_cast<uint32_t>(number)};
  return ComputeId{static_cast<uint32_t>(number - machine.memories.size())};
}

bool is_offchip(const Machine& machine, size_t number) {
  return number < machine.memories.size() && machine.memories[number].kind == MemoryKind::kOffchip;
}

/// Nodes that a path may pass through, besides scratchpads and other on-chip memories.
struct Through {
  bool offchip = false;
  bool computes = true;
};

/// Edges from every node to `target`, by breadth-first search against the direction of the edges.
std::vector<uint64_t> distances_to(const Machine& machine, size_t target, Through through = {}) {
  std::vector<uint64_t> distance(machine.memories.size() + machine.computes.size(), kUnreachable);
  std::vector<size_t> queue{target};
  distance[target] = 0;
  for (size_t head = 0; head < queue.size(); ++head) {
    const bool is_compute = queue[head] >= machine.memories.size();
    const bool is_passed = is_compute ? through.computes : through.offchip || !is_offchip(machine, queue[head]);
    if (head > 0 && !is_passed) continue;
    for (const Edge& edge : machine.edges) {
      const size_t from = number_of(machine, edge.from);
      if (number_of(machine, edge.to) != queue[head] || distance[from] != kUnreachable) continue;
      distance[from] = distance[queue[head]] + 1;
      queue.push_back(from);
    }
  }
  return distance;
}

/// The place where activations enter a compute node: the memory of its first input role, or the node itself.
size_t entrance(const Machine& machine, ComputeId node) {
  const Compute& compute = get(machine, node);
  for (const UnitAttribute& attribute : info(compute.unit).attributes) {
    if (attribute.kind == AttributeKind::kInputRole) return role(machine, compute, attribute.name).value;
  }
  return number_of(machine, node);
}

/// Number of compute nodes that read activations from `memory` and whose results come back to it.
uint64_t nodes_around(const Machine& machine, size_t memory) {
  const std::vector<uint64_t> back = distances_to(machine, memory);
  uint64_t count = 0;
  for (uint32_t i = 0; i < machine.computes.size(); ++i) {
    const ComputeId node{i};
    if (back[number_of(machine, node)] == kUnreachable) continue;
    const std::vector<uint64_t> there = distances_to(machine, entrance(machine, node), {.computes = false});
    if (there[memory] != kUnreachable) ++count;
  }
  return count;
}

}  // namespace

std::optional<MemoryId> find_memory(const Machine& machine, std::string_view name) {
  for (uint32_t i = 0; i < machine.memories.size(); ++i) {
    if (machine.memories[i].name == name) return MemoryId{i};
  }
  return std::nullopt;
}

std::optional<ComputeId> find_compute(const Machine& machine, std::string_view name) {
  for (uint32_t i = 0; i < machine.computes.size(); ++i) {
    if (machine.computes[i].name == name) return ComputeId{i};
  }
  return std::nullopt;
}

const std::string& name_of(const Machine& machine, NodeId node) {
  if (const auto* memory = std::get_if<MemoryId>(&node)) return get(machine, *memory).name;
  return get(machine, std::get<ComputeId>(node)).name;
}

std::optional<NodeId> parent(const Machine& machine, NodeId node) {
  const std::string& name = name_of(machine, node);
  const size_t dot = name.rfind('.');
  if (dot == std::string::npos) return std::nullopt;
  const std::string outer = name.substr(0, dot);
  if (const std::optional<MemoryId> memory = find_memory(machine, outer)) return *memory;
  if (const std::optional<ComputeId> compute = find_compute(machine, outer)) return *compute;
  return std::nullopt;
}

std::vector<NodeId> children(const Machine& machine, NodeId node) {
  const std::string prefix = name_of(machine, node) + ".";
  const auto is_inside = [&](const std::string& name) {
    return name.starts_with(prefix) && name.find('.', prefix.size()) == std::string::npos;
  };
  std::vector<NodeId> result;
  for (size_t i = 0; i < machine.memories.size() + machine.computes.size(); ++i) {
    if (is_inside(name_of(machine, node_at(machine, i)))) result.push_back(node_at(machine, i));
  }
  return result;
}

const std::vector<Port>& ports_of(const Machine& machine, NodeId node) {
  if (const auto* memory = std::get_if<MemoryId>(&node)) return get(machine, *memory).ports;
  return get(machine, std::get<ComputeId>(node)).ports;
}

int64_t integer_attribute(const Compute& compute, std::string_view name) {
  const auto found = compute.attributes.find(std::string(name));
  check(found != compute.attributes.end() && std::holds_alternative<int64_t>(found->second),
        fmt::format("compute node {} has no integer attribute {}", compute.name, name));
  return std::get<int64_t>(found->second);
}

std::optional<MemoryId> register_file(const Machine& machine, const Compute& compute) {
  const auto registers = compute.attributes.find("registers");
  if (registers == compute.attributes.end()) return std::nullopt;
  return find_memory(machine, std::get<std::string>(registers->second));
}

MemoryId role(const Machine& machine, const Compute& compute, std::string_view role) {
  const auto found = compute.attributes.find(std::string(role));
  check(found != compute.attributes.end() && std::holds_alternative<std::string>(found->second),
        fmt::format("compute node {} has no role {}", compute.name, role));
  const std::optional<MemoryId> memory = find_memory(machine, std::get<std::string>(found->second));
  check(memory.has_value(), fmt::format("role {} of {} names no memory", role, compute.name));
  return memory.value();
}

std::optional<TransferEnds> transfer_ends(const Machine& machine, const Edge& edge) {
  const auto* from = std::get_if<MemoryId>(&edge.from);
  const auto* to = std::get_if<MemoryId>(&edge.to);
  if (from == nullptr || to == nullptr) return std::nullopt;
  const MemoryKind source = get(machine, *from).kind;
  const MemoryKind destination = get(machine, *to).kind;
  const bool reads_scratchpad = source == MemoryKind::kScratchpad;
  if (destination == MemoryKind::kScratchpad && (reads_scratchpad || source == MemoryKind::kOffchip)) {
    return TransferEnds{*from, *to, true, !reads_scratchpad};
  }
  if (reads_scratchpad && destination == MemoryKind::kOffchip) return TransferEnds{*to, *from, false, true};
  return std::nullopt;
}

std::vector<Engine> engines(const Machine& machine) {
  std::vector<Engine> result;
  for (uint32_t i = 0; i < machine.computes.size(); ++i) {
    result.push_back({machine.computes[i].name, machine.computes[i].unit, ComputeId{i}, std::nullopt});
  }
  for (uint32_t i = 0; i < machine.edges.size(); ++i) {
    const Edge& edge = machine.edges[i];
    if (!transfer_ends(machine, edge)) continue;
    const std::string name = name_of(machine, edge.from) + "->" + name_of(machine, edge.to);
    result.push_back({name, edge_unit().kind, std::nullopt, i});
  }
  return result;
}

std::optional<uint32_t> find_engine(std::span<const Engine> engines, std::string_view name) {
  for (uint32_t i = 0; i < engines.size(); ++i) {
    if (engines[i].name == name) return i;
  }
  return std::nullopt;
}

uint32_t pipeline_depth(const Machine& machine, const Engine& engine) {
  const UnitInfo& unit = info(engine.unit);
  return unit.depth == nullptr ? 1 : unit.depth(machine, engine);
}

MemoryId outermost_memory(const Machine& machine) {
  check(!machine.memories.empty(), "a machine without memories");
  struct Score {
    uint64_t around = 0;  ///< compute nodes that read from and write to it, if there are several off-chip memories
    uint64_t reached = 0;
    uint64_t smallest = kUnreachable;
    uint64_t sum = 0;
    auto operator<=>(const Score&) const = default;
  };
  // The best memory reaches the most compute nodes, then is farthest from the nearest of them, then farthest from all
  // together. The second criterion excludes a memory that is next to one node and reaches another only by way of
  // off-chip memory.
  std::vector<Score> score(machine.memories.size());
  const auto is_there = [&](size_t memory) { return is_offchip(machine, memory); };
  size_t count = 0;
  for (size_t memory = 0; memory < score.size(); ++memory) count += is_there(memory) ? 1 : 0;
  for (size_t memory = 0; memory < score.size(); ++memory) {
    if (!is_there(memory)) continue;
    // If there is off-chip memory, only that is considered, even if it reaches no compute node.
    score[memory].around = 1 + (count > 1 ? nodes_around(machine, memory) : 0);
  }
  for (uint32_t i = 0; i < machine.computes.size(); ++i) {
    const std::vector<uint64_t> distance = distances_to(machine, number_of(machine, ComputeId{i}));
    for (size_t memory = 0; memory < machine.memories.size(); ++memory) {
      if (distance[memory] == kUnreachable) continue;
      ++score[memory].reached;
      score[memory].smallest = std::min(score[memory].smallest, distance[memory]);
      score[memory].sum += distance[memory];
    }
  }
  const auto best = std::max_element(score.begin(), score.end());  // the first of equals
  return MemoryId{static_cast<uint32_t>(best - score.begin())};
}

std::vector<MemoryId> constant_memories(const Machine& machine) {
  const MemoryId first = outermost_memory(machine);
  std::vector<MemoryId> memories{first};
  for (uint32_t i = 0; i < machine.memories.size(); ++i) {
    if (is_offchip(machine, i) && i != first.value) memories.push_back(MemoryId{i});
  }
  return memories;
}

std::optional<uint32_t> instruction_edge(const Machine& machine) {
  for (uint32_t i = 0; i < machine.edges.size(); ++i) {
    const auto* to = std::get_if<MemoryId>(&machine.edges[i].to);
    if (to != nullptr && get(machine, *to).kind == MemoryKind::kInstruction) return i;
  }
  return std::nullopt;
}

MemoryId instruction_source(const Machine& machine) {
  const std::optional<uint32_t> edge = instruction_edge(machine);
  check(edge.has_value(), "no edge brings instructions");
  return std::get<MemoryId>(machine.edges[edge.value()].from);
}

std::optional<uint32_t> core_engine(const Machine& machine) {
  for (uint32_t i = 0; i < machine.computes.size(); ++i) {
    if (info(machine.computes[i].unit).issues_packets) return i;
  }
  return std::nullopt;
}

std::optional<uint32_t> line_edge(const Machine& machine) {
  for (uint32_t i = 0; i < machine.edges.size(); ++i) {
    const auto* from = std::get_if<MemoryId>(&machine.edges[i].from);
    const auto* to = std::get_if<MemoryId>(&machine.edges[i].to);
    if (from == nullptr || to == nullptr || get(machine, *from).kind != MemoryKind::kOffchip) continue;
    if (core_engine(machine) && get(machine, *to).kind == MemoryKind::kCache) return i;
  }
  return std::nullopt;
}

namespace {

std::vector<NodeId> path_between(const Machine& machine, NodeId from, NodeId to, bool passes_offchip) {
  const size_t goal = number_of(machine, to);
  const std::vector<uint64_t> distance = distances_to(machine, goal, {.offchip = passes_offchip});
  size_t at = number_of(machine, from);
  if (distance[at] == kUnreachable) return {};
  std::vector<NodeId> path{from};
  while (at != goal) {
    size_t next = distance.size();
    for (const Edge& edge : machine.edges) {
      const size_t candidate = number_of(machine, edge.to);
      if (number_of(machine, edge.from) != at || distance[candidate] == kUnreachable) continue;
      if (candidate != goal && !passes_offchip && is_offchip(machine, candidate)) continue;
      if (distance[candidate] + 1 == distance[at]) next = std::min(next, candidate);
    }
    check(next < distance.size(), "a distance without an edge");
    at = next;
    path.push_back(node_at(machine, at));
  }
  return path;
}

}  // namespace

std::vector<NodeId> shortest_path(const Machine& machine, NodeId from, NodeId to) {
  return path_between(machine, from, to, true);
}

std::vector<NodeId> shortest_way(const Machine& machine, NodeId from, NodeId to) {
  return path_between(machine, from, to, false);
}

std::optional<uint32_t> edge_between(const Machine& machine, NodeId from, NodeId to) {
  for (uint32_t i = 0; i < machine.edges.size(); ++i) {
    if (machine.edges[i].from == from && machine.edges[i].to == to) return i;
  }
  return std::nullopt;
}

uint64_t beat_bytes(const Machine& machine, const Engine& engine) {
  check(engine.edge.has_value(), "only DMA engines have beats");
  return machine.edges.at(engine.edge.value()).bandwidth / 8;
}

}  // namespace covenant::acg
