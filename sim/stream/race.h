/// Race detection: two commands of different engines that touch a byte, one of them writing, must be ordered by tokens.
///
/// Vector clocks over tokens (Lamport's happened-before as in FastTrack, Flanagan and Freund, PLDI 2009, section 3,
/// with byte ranges of commands in place of variables). Block boundaries are barriers.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "acg/encoding/instruction_word.h"
#include "sim/stream/common/region.h"

namespace covenant::sim {

/// Per engine, how much of its past the owner of the clock is ordered after.
using Clock = std::vector<uint64_t>;

class RaceDetector {
 public:
  /// `touches[e]`: the memories that engine e may read or write.
  RaceDetector(size_t memories, std::vector<std::vector<uint32_t>> touches);

  /// A new block: everything before is ordered before everything in it. `active`: the engines that have words.
  void start_block(std::span<const uint32_t> active);

  const Clock& clock(uint32_t engine) const { return clocks_[engine]; }
  /// Call after a post of `engine`: its later accesses are not covered by that token.
  void posted(uint32_t engine) { ++clocks_[engine][engine]; }
  /// `engine` has taken a token whose poster's clock was `token`.
  void took(uint32_t engine, const Clock& token);
  /// `engine` has executed its last word of the block: only its earlier accesses can still race.
  void finished(uint32_t engine) { active_[engine] = false; }

  struct Command {
    uint32_t word_index = 0;
    acg::InstructionWord word;
    uint64_t issue = 0;
    bool operator==(const Command&) const = default;
  };
  struct Conflict {
    uint32_t engine = 0;  ///< engine of the access that was simulated first
    Command command;
    bool is_write = false;
    uint64_t low = 0;  ///< bounds of the bytes that both may touch
    uint64_t high = 0;
  };
  /// Notes that `engine` touches a region; returns an earlier unordered access that makes it a race.
  /// Fault SIM0052 if the history of unordered accesses outgrows its limit.
  std::optional<Conflict> access(uint32_t engine, const Access& access, const Command& command);

 private:
  struct Entry {
    uint64_t stamp = 0;  ///< the engine's own clock when it did this
    Region region;
    Command command;
  };
  /// Accesses of one kind by one engine to one memory, stamps ascending.
  struct History {
    std::vector<Entry> entries;
    uint64_t low = UINT64_MAX;  ///< bounds of all of them
    uint64_t high = 0;
    size_t prune_at = 64;
  };
  History& history(uint32_t engine, uint32_t memory, bool is_write) {
    return histories_[(engine * memories_ + memory) * 2 + (is_write ? 1 : 0)];
  }
  std::optional<Conflict> check(uint32_t engine, uint32_t other, bool other_writes, const Region& region);
  void remember(uint32_t engine, const Access& access, const Command& command);
  void prune(uint32_t engine, uint32_t memory, History& entries);

  size_t memories_;
  std::vector<Clock> clocks_;
  std::vector<bool> active_;
  std::vector<std::vector<uint32_t>> users_;  ///< per memory, the engines that may touch it
  std::vector<History> histories_;
};

}  // namespace covenant::sim
