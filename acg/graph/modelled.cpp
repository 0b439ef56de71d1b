#include "acg/graph/modelled.h"

#include <fmt/format.h>

#include "acg/graph/queries.h"

namespace covenant::acg {
namespace {

Diagnostic unmodelled(const SourceLocation& where, std::string subject, std::string_view attribute,
                      std::string offending) {
  return {"ACG0051",
          where,
          std::move(subject),
          fmt::format("{} is described, but neither compiled for nor simulated", attribute),
          std::move(offending),
          {},
          fmt::format("leave out {} to run programs on this machine", attribute)};
}

MemoryKind kind_of(const Machine& machine, const NodeId& node) {
  const auto* memory = std::get_if<MemoryId>(&node);
  return memory == nullptr ? MemoryKind::kImmediate : get(machine, *memory).kind;
}

/// Between off-chip memory and a scratchpad: these edges have engines, and share buses (docs/reference/units/dma.md).
bool is_transfer_edge(const Machine& machine, const Edge& edge) {
  const MemoryKind from = kind_of(machine, edge.from);
  const MemoryKind to = kind_of(machine, edge.to);
  return (from == MemoryKind::kOffchip && to == MemoryKind::kScratchpad) ||
         (from == MemoryKind::kScratchpad && to == MemoryKind::kOffchip);
}

}  // namespace

Status check_modelled(const Machine& machine) {
  if (machine.word_bits != 32) {
    return Diagnostic{"ACG0051",
                      machine.mnemonics.empty() ? SourceLocation{} : machine.mnemonics.front().where,
                      "machine " + machine.name,
                      "words of less than 32 bits are described, but neither compiled for nor simulated",
                      fmt::format("word = {}", machine.word_bits),
                      {"32"},
                      "set word to 32 to run programs on this machine"};
  }
  for (const Memory& memory : machine.memories) {
    if (memory.accesses != 1) {
      return unmodelled(memory.where, "memory " + memory.name, "accesses", fmt::format("{}", memory.accesses));
    }
  }
  for (const Compute& compute : machine.computes) {
    const std::string path = "compute " + compute.name;
    if (compute.trigger != Trigger::kMnemonic) return unmodelled(compute.where, path, "trigger", "dataflow");
    for (const Capability& capability : compute.capabilities) {
      if (capability.occupancy == 1) continue;
      return unmodelled(compute.where, path, "occupancy", fmt::format("{}", capability.occupancy));
    }
  }
  for (const Edge& edge : machine.edges) {
    const std::string path = fmt::format("edge {} -> {}", name_of(machine, edge.from), name_of(machine, edge.to));
    if (edge.latency != 0) return unmodelled(edge.where, path, "latency", fmt::format("{}", edge.latency));
    if (!edge.bus.empty() && !is_transfer_edge(machine, edge)) {
      return unmodelled(edge.where, path, "bus of an edge without transfers", edge.bus);
    }
  }
  return Done{};
}

Status check_whole_bytes(const Machine& machine) {
  for (const Memory& memory : machine.memories) {
    if (memory.data_width % 8 == 0) continue;
    return Diagnostic{"ACG0051",
                      memory.where,
                      "memory " + memory.name,
                      "elements of less than a byte are described, but neither compiled for nor simulated",
                      fmt::format("data_width = {}", memory.data_width),
                      {"multiples of 8"},
                      "set data_width to 8 to run programs on this machine"};
  }
  return Done{};
}

}  // namespace covenant::acg
