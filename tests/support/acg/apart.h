/// Machines with further off-chip memories.
#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "acg/base/check.h"
#include "acg/graph/queries.h"
#include "acg/lang/load.h"
#include "acg/lang/print.h"

namespace covenant::test {

/// `machine` with an additional off-chip memory `name`, like DRAM except for its `latency`, which replaces DRAM in
/// every edge between DRAM and `neighbours`.
inline acg::Machine moved_from_dram(acg::Machine machine, const std::string& name,
                                    const std::vector<std::string>& neighbours, uint32_t latency = 23) {
  const acg::NodeId dram = acg::find_memory(machine, "DRAM").value();
  const acg::NodeId other = acg::MemoryId{static_cast<uint32_t>(machine.memories.size())};
  acg::Memory memory = acg::get(machine, acg::find_memory(machine, "DRAM").value());
  memory.name = name;
  memory.latency = latency;
  machine.memories.push_back(memory);
  const std::vector<acg::Engine> before = acg::engines(machine);
  const auto is_neighbour = [&](acg::NodeId node) {
    return std::ranges::count(neighbours, acg::name_of(machine, node)) > 0;
  };
  for (acg::Edge& edge : machine.edges) {
    if (edge.from == dram && is_neighbour(edge.to)) edge.from = other;
    if (edge.to == dram && is_neighbour(edge.from)) edge.to = other;
  }
  const std::vector<acg::Engine> after = acg::engines(machine);
  for (acg::Mnemonic& mnemonic : machine.mnemonics) {
    for (acg::Field& field : mnemonic.fields) {
      for (std::string& value : field.values) {
        const auto known = std::ranges::find(before, value, &acg::Engine::name);
        if (known != before.end()) value = after[static_cast<size_t>(known - before.begin())].name;
      }
    }
  }
  Result<acg::Machine> made = acg::parse_machine(acg::print(machine), "apart.acg");
  if (!made) throw std::runtime_error(render(made.error()));
  return std::move(*made);
}

}  // namespace covenant::test
