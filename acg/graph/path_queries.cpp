// How much moves along edges.
#include <algorithm>

#include "acg/base/check.h"
#include "acg/graph/queries.h"

namespace covenant::acg {
namespace {

std::vector<uint32_t> edges_of(const Machine& machine, const std::vector<NodeId>& path) {
  std::vector<uint32_t> result;
  for (size_t i = 1; i < path.size(); ++i) {
    const std::optional<uint32_t> edge = edge_between(machine, path[i - 1], path[i]);
    check(edge.has_value(), "a path without an edge");
    result.push_back(edge.value());
  }
  return result;
}

}  // namespace

uint32_t bandwidth_along(const Machine& machine, const std::vector<NodeId>& path) {
  uint32_t smallest = 0;
  for (uint32_t edge : edges_of(machine, path)) {
    const uint32_t bandwidth = machine.edges[edge].bandwidth;
    if (bandwidth != 0) smallest = smallest == 0 ? bandwidth : std::min(smallest, bandwidth);
  }
  return smallest;
}

uint64_t latency_along(const Machine& machine, const std::vector<NodeId>& path) {
  uint64_t sum = 0;
  for (uint32_t edge : edges_of(machine, path)) sum += machine.edges[edge].latency;
  return sum;
}

std::vector<uint32_t> sharing_bus(const Machine& machine, uint32_t edge) {
  const std::string& bus = machine.edges.at(edge).bus;
  std::vector<uint32_t> result;
  for (uint32_t i = 0; i < machine.edges.size(); ++i) {
    if (i == edge || (!bus.empty() && machine.edges[i].bus == bus)) result.push_back(i);
  }
  return result;
}

uint64_t addressable_bits(const Memory& memory) {
  return (memory.granularity == 0 ? memory.data_width : memory.granularity) * memory.banks;
}

uint64_t capacity_bytes(const Memory& memory) { return memory.buffer_bytes() * memory.buffers; }

}  // namespace covenant::acg
