#include "compiler/families/vliw/caches.h"

#include <algorithm>

#include "acg/graph/queries.h"

namespace covenant::compiler::vliw {
namespace {

constexpr uint32_t kWordBits = 32;

std::optional<acg::MemoryId> filled_by(const acg::Machine& machine, acg::NodeId node) {
  for (const acg::Edge& edge : machine.edges) {
    const auto* from = std::get_if<acg::MemoryId>(&edge.from);
    const bool is_cache = from != nullptr && acg::get(machine, *from).kind == acg::MemoryKind::kCache;
    if (edge.to == node && is_cache) return *from;
  }
  return std::nullopt;
}

}  // namespace

std::vector<acg::MemoryId> caches_of(const acg::Machine& machine, acg::MemoryId registers) {
  std::vector<acg::MemoryId> caches;
  for (std::optional<acg::MemoryId> next = filled_by(machine, registers); next; next = filled_by(machine, *next)) {
    if (std::find(caches.begin(), caches.end(), *next) != caches.end()) break;
    caches.push_back(*next);
  }
  return caches;
}

std::optional<acg::MemoryId> scalar_registers(const acg::Machine& machine) {
  for (uint32_t i = 0; i < machine.memories.size(); ++i) {
    const acg::Memory& memory = machine.memories[i];
    if (memory.kind == acg::MemoryKind::kRegisterFile && memory.data_width == kWordBits) return acg::MemoryId{i};
  }
  return std::nullopt;
}

uint32_t delay_of_words(const acg::Machine& machine) {
  const std::optional<acg::MemoryId> words = scalar_registers(machine);
  if (!words) return 0;
  const std::vector<acg::MemoryId> caches = caches_of(machine, *words);
  return caches.size() < 2 ? 0 : acg::get(machine, caches[1]).latency - 1;
}

}  // namespace covenant::compiler::vliw
