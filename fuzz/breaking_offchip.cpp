/// Rules that break machines with several off-chip memories; a machine with one gets another first.
#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "acg/graph/queries.h"
#include "acg/lang/print.h"
#include "fuzz/breaking.h"

namespace covenant::runtime::breaking {
namespace {

using acg::Edge;
using acg::Machine;
using acg::MemoryKind;

/// Adds a memory like an existing one, without edges.
acg::MemoryId add_memory(Machine& machine, Draw& draw) {
  acg::Memory memory = a_memory(machine, draw, MemoryKind::kOffchip);
  memory.name += "_again";
  machine.memories.push_back(memory);
  return acg::MemoryId{static_cast<uint32_t>(machine.memories.size() - 1)};
}

std::string memory_alone(Machine machine, Draw& draw) {
  add_memory(machine, draw);
  return acg::print(machine);
}

/// Redirects stores to a memory that nothing reads. Words use the new names of the engines.
std::string results_elsewhere(Machine machine, Draw& draw) {
  const std::vector<size_t> memories = memories_of(machine, MemoryKind::kOffchip);
  const acg::MemoryId other = add_memory(machine, draw);
  const auto engines = [&] {
    std::vector<std::string> names;
    for (const acg::Engine& engine : acg::engines(machine)) names.push_back(engine.name);
    return names;
  };
  const std::vector<std::string> before = engines();
  for (Edge& edge : machine.edges) {
    if (is_one_of(edge.to, memories)) edge.to = other;
  }
  const std::vector<std::string> after = engines();
  for (acg::Mnemonic& mnemonic : machine.mnemonics) {
    for (acg::Field& field : mnemonic.fields) {
      for (std::string& name : field.values) {
        const auto known = std::ranges::find(before, name);
        if (known != before.end()) name = after[static_cast<size_t>(known - before.begin())];
      }
    }
  }
  return acg::print(machine);
}

std::string words_from_two(Machine machine, Draw& draw) {
  Edge second = machine.edges[acg::instruction_edge(machine).value()];
  second.from = add_memory(machine, draw);
  machine.edges.push_back(second);
  return acg::print(machine);
}

std::string edge_between(Machine machine, Draw& draw) {
  const auto from = static_cast<uint32_t>(draw.of(memories_of(machine, MemoryKind::kOffchip)));
  const acg::MemoryId to = add_memory(machine, draw);
  machine.edges.push_back({acg::MemoryId{from}, to, 64, {}});
  return acg::print(machine);
}

constexpr std::array kOffchipRules{
    Rule{"off-chip memory without an edge", memory_alone},
    Rule{"results in a memory that nothing reads", results_elsewhere},
    Rule{"words from two memories", words_from_two},
    Rule{"edge between off-chip memories", edge_between},
};

}  // namespace

std::span<const Rule> offchip_rules() { return kOffchipRules; }

}  // namespace covenant::runtime::breaking
