#include "offchip/connect.h"

#include <algorithm>

#include "acg/graph/queries.h"

namespace covenant::offchip {

Connection connection_of(const acg::Machine& machine) {
  Connection connection{Clock::of_frequency(machine.clock_hertz), {}};
  for (const acg::Engine& engine : acg::engines(machine)) {
    FixedPort& port = connection.ports.emplace_back();
    if (!engine.edge) continue;
    const acg::Edge& edge = machine.edges[*engine.edge];
    const std::optional<acg::TransferEnds> ends = acg::transfer_ends(machine, edge);
    if (ends && ends->has_offchip) port = {acg::get(machine, ends->far).latency + edge.latency, edge.bandwidth / 8};
  }
  if (const std::optional<uint32_t> index = acg::line_edge(machine)) {
    const acg::Edge& edge = machine.edges[*index];
    const uint32_t latency = get(machine, std::get<acg::MemoryId>(edge.from)).latency + edge.latency;
    connection.ports[acg::core_engine(machine).value()] = {latency, std::max(1U, edge.bandwidth / 8)};
  }
  FixedPort& fetch = connection.ports.emplace_back();
  if (const std::optional<uint32_t> index = acg::instruction_edge(machine)) {
    const acg::Edge& edge = machine.edges[*index];
    fetch = {acg::get(machine, acg::instruction_source(machine)).latency + edge.latency, edge.bandwidth / 8};
  }
  return connection;
}

}  // namespace covenant::offchip
