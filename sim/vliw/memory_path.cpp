#include "sim/vliw/memory_path.h"

#include <algorithm>
#include <deque>
#include <map>

#include "acg/graph/queries.h"
#include "sim/common/fault.h"

namespace covenant::sim::vliw {
namespace {

using acg::MemoryId;
using acg::MemoryKind;

constexpr uint32_t kBitsOfByte = 8;

/// The edges of the shortest way from a register file outwards, by way of caches, to off-chip memory; none if there is
/// no way.
std::vector<uint32_t> edges_outwards(const acg::Machine& machine, MemoryId registers) {
  std::map<MemoryId, uint32_t> filled_by;  ///< for memories on a path: the edge to the next one inwards
  std::deque<MemoryId> open{registers};
  for (; !open.empty(); open.pop_front()) {
    for (uint32_t i = 0; i < machine.edges.size(); ++i) {
      const auto* from = std::get_if<MemoryId>(&machine.edges[i].from);
      if (from == nullptr || machine.edges[i].to != acg::NodeId{open.front()}) continue;
      const MemoryKind kind = get(machine, *from).kind;
      if ((kind != MemoryKind::kCache && kind != MemoryKind::kOffchip) || !filled_by.emplace(*from, i).second) continue;
      if (kind == MemoryKind::kCache) {
        open.push_back(*from);
        continue;
      }
      std::vector<uint32_t> way;
      for (acg::NodeId at = *from; at != acg::NodeId{registers}; at = machine.edges[way.front()].to) {
        way.insert(way.begin(), filled_by.at(std::get<MemoryId>(at)));
      }
      return way;
    }
  }
  return {};
}

uint32_t line_bytes(const acg::Memory& memory) {
  return static_cast<uint32_t>(std::max<uint64_t>(1, memory.element_bits() / kBitsOfByte));
}

}  // namespace

MemoryPaths::MemoryPaths(const acg::Machine& machine) {
  for (uint32_t i = 0; i < machine.memories.size(); ++i) {
    if (machine.memories[i].kind != MemoryKind::kRegisterFile) continue;
    const std::vector<uint32_t> edges = edges_outwards(machine, {i});
    if (edges.size() < 2) continue;  // a register file that nothing loads, or one next to off-chip memory
    Way way{{i}, {}};
    for (size_t k = 0; k + 1 < edges.size(); ++k) {
      way.caches.push_back(cache_of(machine, std::get<MemoryId>(machine.edges[edges[k]].from)));
    }
    const acg::Edge& outer = machine.edges[edges.back()];
    edge_ = LineEdge(get(machine, std::get<MemoryId>(outer.from)).latency + outer.latency,
                     std::max(1U, outer.bandwidth / kBitsOfByte));
    last_ = way.caches.back();
    ways_.push_back(std::move(way));
  }
  if (!ways_.empty()) return;
  raise("SIM0061", "no cache between off-chip memory and a register file", machine.name, {},
        "add a memory of kind cache, and edges on both of its sides");
}

size_t MemoryPaths::cache_of(const acg::Machine& machine, MemoryId memory) {
  const auto known =
      std::find_if(levels_.begin(), levels_.end(), [&](const Level& level) { return level.memory == memory; });
  if (known != levels_.end()) return static_cast<size_t>(known - levels_.begin());
  const acg::Memory& described = get(machine, memory);
  // The first cycle of an answer is part of the stages of the load.
  caches_.emplace_back(described.buffer_bytes(), line_bytes(described), described.latency - 1);
  levels_.push_back({memory, {}});
  return levels_.size() - 1;
}

size_t MemoryPaths::way_to(MemoryId registers) const {
  const auto found =
      std::find_if(ways_.begin(), ways_.end(), [&](const Way& way) { return way.registers == registers; });
  if (found == ways_.end()) {
    raise("SIM0061", "a register file that nothing fills from off-chip memory", "", {}, "add edges from a cache to it");
  }
  return static_cast<size_t>(found - ways_.begin());
}

/// A line that leaves the last cache takes its time on the edge; the others hold nothing that is not in the last one.
void MemoryPaths::write_back(size_t cache, const Cache::Taken& taken, uint64_t now) {
  if (!taken.written_back || cache != last_) return;
  ++levels_[cache].counts.written_back;
  const uint32_t bytes = caches_[cache].line_bytes();
  edge_.write(*taken.written_back * bytes, bytes, now);
}

uint64_t MemoryPaths::load_line(std::span<const size_t> way, uint64_t address, uint64_t now) {
  Cache& cache = caches_[way.front()];
  CacheCounts& counts = levels_[way.front()].counts;
  const uint64_t number = cache.line_of(address);
  const uint64_t answered = now + cache.latency();
  ++counts.loads;
  if (const Cache::Line* const line = cache.find(number)) {
    if (way.size() == 1) edge_.want(number * cache.line_bytes());
    return moments_.later(answered, line->ready);
  }
  ++counts.load_misses;
  const uint64_t ready = way.size() == 1 ? edge_.read(number * cache.line_bytes(), cache.line_bytes(), answered)
                                         : load_line(way.subspan(1), address, answered);
  write_back(way.front(), cache.take(number, ready), now);
  return ready;
}

uint64_t MemoryPaths::load(size_t way, uint64_t address, uint32_t bytes, uint64_t now) {
  const std::vector<size_t>& caches = ways_[way].caches;
  const Cache& nearest = caches_[caches.front()];
  const uint64_t last = nearest.line_of(address + bytes - 1);
  uint64_t ready = now;
  for (uint64_t line = nearest.line_of(address); line <= last; ++line) {
    ready = moments_.later(ready, load_line(caches, line * nearest.line_bytes(), now));
  }
  return ready;
}

void MemoryPaths::store(size_t way, uint64_t address, uint32_t bytes, bool is_masked, uint64_t now) {
  for (size_t i = 0; i < caches_.size(); ++i) {
    if (i == last_) continue;
    const bool is_on_way = std::find(ways_[way].caches.begin(), ways_[way].caches.end(), i) != ways_[way].caches.end();
    const uint64_t line = caches_[i].line_bytes();
    // Caches nearer to the registers must not keep stale data.
    for (uint64_t at = address / line; !is_on_way && at * line < address + bytes; ++at) caches_[i].drop(at);
  }
  Cache& cache = caches_[last_];
  const uint64_t line = cache.line_bytes();
  const uint64_t end = address + bytes;
  for (uint64_t at = address / line; at * line < end; ++at) {
    store_line(at, !is_masked && at * line >= address && (at + 1) * line <= end, now);
  }
}

/// A whole line need not be fetched before it is replaced.
void MemoryPaths::store_line(uint64_t number, bool is_whole, uint64_t now) {
  Cache& cache = caches_[last_];
  CacheCounts& counts = levels_[last_].counts;
  ++counts.stores;
  Cache::Line* line = cache.find(number);
  if (line == nullptr) {
    ++counts.store_misses;
    const uint32_t bytes = cache.line_bytes();
    const Cache::Taken taken = cache.take(number, is_whole ? now : edge_.read(number * bytes, bytes, now));
    write_back(last_, taken, now);
    line = taken.line;
  } else {
    is_whole ? edge_.replace(number * cache.line_bytes()) : edge_.want(number * cache.line_bytes());
  }
  line->is_dirty = true;
  line->ready = moments_.later(line->ready, now);
}

void MemoryPaths::prefetch(uint64_t address, uint64_t now) {
  Cache& cache = caches_[last_];
  const uint64_t number = cache.line_of(address);
  ++levels_[last_].counts.prefetches;
  if (cache.find(number) != nullptr) return;
  const uint32_t bytes = cache.line_bytes();
  write_back(last_, cache.take(number, edge_.read(number * bytes, bytes, now, false)), now);
}

}  // namespace covenant::sim::vliw
