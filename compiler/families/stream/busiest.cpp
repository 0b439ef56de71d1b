#include "compiler/families/stream/busiest.h"

#include <algorithm>

#include "acg/base/rounding.h"
#include "acg/graph/queries.h"
#include "acg/graph/ways.h"

namespace covenant::compiler::stream {

void Busiest::consider(uint64_t cycles, const std::string& resource) {
  if (cycles <= cycles_) return;
  cycles_ = cycles;
  resource_ = resource;
}

uint64_t Busiest::beats(uint32_t edge, uint64_t bytes) const {
  return ceil_divide(bytes, std::max<uint64_t>(1, machine_.edges[edge].bandwidth / 8));
}

uint64_t Busiest::bus_work(uint32_t edge) const {
  uint64_t cycles = 0;
  for (const uint32_t other : acg::sharing_bus(machine_, edge)) {
    const auto moved = moved_.find(other);
    cycles += moved == moved_.end() ? 0 : moved->second;
  }
  return cycles;
}

void Busiest::move(const std::vector<uint32_t>& way, uint64_t bytes) {
  for (const uint32_t edge : way) {
    moved_[edge] += beats(edge, bytes);
    consider(moved_[edge],
             name_of(machine_, machine_.edges[edge].from) + "->" + name_of(machine_, machine_.edges[edge].to));
    consider(bus_work(edge), machine_.edges[edge].bus);
  }
}

std::vector<uint32_t> Busiest::way(acg::MemoryId from, acg::MemoryId to) const {
  const std::vector<acg::NodeId> nodes = acg::shortest_way(machine_, from, to);
  std::vector<uint32_t> edges;
  for (size_t i = 0; i + 1 < nodes.size(); ++i) {
    if (!std::holds_alternative<acg::MemoryId>(nodes[i])) return {};
    edges.push_back(acg::edge_between(machine_, nodes[i], nodes[i + 1]).value());
  }
  return edges;
}

}  // namespace covenant::compiler::stream
