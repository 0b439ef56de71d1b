/// GeneSys with a memory between off-chip memory and one of its scratchpads.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "tests/support/sim/run.h"

namespace covenant::sim::testing {

/// A row of four by four; L2 has 3 buffers of 1,000 bytes in addresses of 4, which are elements of `data_width` bits,
/// and an edge to VMEM1 of `bandwidth` bits that takes `latency` cycles.
inline acg::Machine machine_with_level(uint32_t bandwidth, uint32_t latency, uint32_t data_width = 8) {
  acg::Machine machine = machine_with({{"M", "4"}, {"N", "4"}});
  acg::Memory level;
  level.name = "L2";
  level.data_width = data_width;
  level.banks = 32 / data_width;
  level.depth = 250;
  level.buffers = 3;
  machine.memories.push_back(level);
  const acg::NodeId level_node = acg::find_memory(machine, "L2").value();
  const auto connect = [&](acg::NodeId from, acg::NodeId to, uint32_t bits, uint32_t cycles) {
    acg::Edge edge{from, to, bits, {}};
    edge.latency = cycles;
    machine.edges.push_back(std::move(edge));
  };
  connect(acg::find_memory(machine, "DRAM").value(), level_node, 128, 0);
  connect(level_node, acg::find_memory(machine, "VMEM1").value(), bandwidth, latency);
  for (acg::Mnemonic& mnemonic : machine.mnemonics) {
    for (acg::Field& field : mnemonic.fields) {
      if (field.operand == "engine") field.values.insert(field.values.end(), {"DRAM->L2", "L2->VMEM1"});
      const bool is_token = mnemonic.does == Operation::kWait || mnemonic.does == Operation::kPost;
      if (field.operand == "memory" && is_token) field.values.emplace_back("L2");
    }
  }
  return machine;
}

}  // namespace covenant::sim::testing
