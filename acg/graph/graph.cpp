#include "acg/graph/graph.h"

#include <tuple>

namespace covenant::acg {

bool Memory::operator==(const Memory& other) const {
  const auto content = [](const Memory& m) {
    return std::tie(m.name, m.kind, m.data_width, m.banks, m.depth, m.buffers, m.latency, m.granularity, m.channels);
  };
  return content(*this) == content(other);
}

bool Compute::operator==(const Compute& other) const {
  return std::tie(name, unit, attributes, capabilities) ==
         std::tie(other.name, other.unit, other.attributes, other.capabilities);
}

bool Edge::operator==(const Edge& other) const {
  return std::tie(from, to, bandwidth) == std::tie(other.from, other.to, other.bandwidth);
}

}  // namespace covenant::acg
