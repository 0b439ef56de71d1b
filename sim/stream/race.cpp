#include "sim/stream/race.h"

#include <algorithm>
#include <fmt/format.h>

#include "sim/common/fault.h"

namespace covenant::sim {

namespace {

constexpr size_t kHistoryLimit = 1U << 20U;

}  // namespace

RaceDetector::RaceDetector(size_t memories, std::vector<std::vector<uint32_t>> touches)
    : memories_(memories), active_(touches.size(), false), users_(memories), histories_(touches.size() * memories * 2) {
  for (uint32_t engine = 0; engine < touches.size(); ++engine) {
    for (uint32_t memory : touches[engine]) {
      if (users_[memory].empty() || users_[memory].back() != engine) users_[memory].push_back(engine);
    }
  }
  clocks_.assign(touches.size(), Clock(touches.size(), 0));
}

void RaceDetector::start_block(std::span<const uint32_t> active) {
  for (uint32_t engine = 0; engine < clocks_.size(); ++engine) {
    std::fill(clocks_[engine].begin(), clocks_[engine].end(), 0);
    clocks_[engine][engine] = 1;
  }
  std::fill(active_.begin(), active_.end(), false);
  for (uint32_t engine : active) active_[engine] = true;
  for (History& entries : histories_) {
    entries.entries.clear();
    entries.low = UINT64_MAX;
    entries.high = 0;
    entries.prune_at = 64;
  }
}

void RaceDetector::took(uint32_t engine, const Clock& token) {
  Clock& mine = clocks_[engine];
  for (size_t k = 0; k < mine.size(); ++k) mine[k] = std::max(mine[k], token[k]);
}

std::optional<RaceDetector::Conflict> RaceDetector::access(uint32_t engine, const Access& access,
                                                           const Command& command) {
  if (access.region.low >= access.region.high) return std::nullopt;
  for (uint32_t other : users_[access.region.memory]) {
    if (other == engine) continue;
    if (auto conflict = check(engine, other, true, access.region)) return conflict;
    if (!access.is_write) continue;
    if (auto conflict = check(engine, other, false, access.region)) return conflict;
  }
  remember(engine, access, command);
  return std::nullopt;
}

std::optional<RaceDetector::Conflict> RaceDetector::check(uint32_t engine, uint32_t other, bool other_writes,
                                                          const Region& region) {
  const History& past = history(other, region.memory, other_writes);
  if (past.low >= region.high || past.high <= region.low) return std::nullopt;
  // Stamps ascend, so the entries that are ordered before this command are a prefix, and all but a few.
  const uint64_t known = clocks_[engine][other];
  auto entry = past.entries.end();
  while (entry != past.entries.begin() && std::prev(entry)->stamp > known) --entry;
  for (; entry != past.entries.end(); ++entry) {
    if (!overlap(entry->region, region)) continue;
    return Conflict{other, entry->command, other_writes, std::max(entry->region.low, region.low),
                    std::min(entry->region.high, region.high)};
  }
  return std::nullopt;
}

void RaceDetector::remember(uint32_t engine, const Access& access, const Command& command) {
  History& past = history(engine, access.region.memory, access.is_write);
  const uint64_t stamp = clocks_[engine][engine];
  if (!past.entries.empty() && past.entries.back().stamp == stamp && past.entries.back().region == access.region)
    return;
  if (past.entries.size() >= past.prune_at) prune(engine, access.region.memory, past);
  past.entries.push_back({stamp, access.region, command});
  past.low = std::min(past.low, access.region.low);
  past.high = std::max(past.high, access.region.high);
}

void RaceDetector::prune(uint32_t engine, uint32_t memory, History& past) {
  uint64_t known_to_all = UINT64_MAX;
  for (uint32_t other : users_[memory]) {
    if (other != engine && active_[other]) known_to_all = std::min(known_to_all, clocks_[other][engine]);
  }
  const auto keep = std::partition_point(past.entries.begin(), past.entries.end(),
                                         [known_to_all](const Entry& e) { return e.stamp <= known_to_all; });
  past.entries.erase(past.entries.begin(), keep);
  past.low = UINT64_MAX;
  past.high = 0;
  for (const Entry& entry : past.entries) {
    past.low = std::min(past.low, entry.region.low);
    past.high = std::max(past.high, entry.region.high);
  }
  past.prune_at = std::max<size_t>(64, past.entries.size() * 2);
  if (past.entries.size() < kHistoryLimit) return;
  raise("SIM0052", "one engine has more accesses that no token orders than the race check can remember",
        fmt::format("{} accesses in one block", past.entries.size()), {fmt::format("fewer than {}", kHistoryLimit)},
        "synchronise more often, cut the layer into more blocks, or run with check_races = false");
}

}  // namespace covenant::sim
