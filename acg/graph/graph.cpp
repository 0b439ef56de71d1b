#include "acg/graph/graph.h"

#include <tuple>

namespace covenant::acg {

bool Memory::operator==(const Memory& other) const {
  const auto content = [](const Memory& m) {
    return std::tie(m.name, m.kind, m.data_width, m.banks, m.depth, m.buffers, m.latency, m.granularity, m.accesses,
                    m.read_energy, m.write_energy, m.ports, m.channels);
  };
  return content(*this) == content(other);
}

bool Compute::operator==(const Compute& other) const {
  return std::tie(name, unit, attributes, capabilities, trigger, ports) ==
         std::tie(other.name, other.unit, other.attributes, other.capabilities, other.trigger, other.ports);
}

bool Edge::operator==(const Edge& other) const {
  return std::tie(from, to, bandwidth, from_port, to_port, latency, energy, bus, burst) ==
         std::tie(other.from, other.to, other.bandwidth, other.from_port, other.to_port, other.latency, other.energy,
                  other.bus, other.burst);
}

}  // namespace covenant::acg
