// Queries on the bus that edges share and on the capacity of memories.
#include "acg/graph/queries.h"

namespace covenant::acg {
std::vector<uint32_t> sharing_bus(const Machine& machine, uint32_t edge) {
  const std::string& bus = machine.edges.at(edge).bus;
  std::vector<uint32_t> result;
  for (uint32_t i = 0; i < machine.edges.size(); ++i) {
    if (i == edge || (!bus.empty() && machine.edges[i].bus == bus)) result.push_back(i);
  }
  return result;
}

uint64_t capacity_bytes(const Memory& memory) { return memory.buffer_bytes() * memory.buffers; }

}  // namespace covenant::acg
