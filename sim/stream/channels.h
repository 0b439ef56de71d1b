/// Channels: the counted tokens by which engines synchronise (docs/reference/units/sequencer.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "acg/graph/graph.h"
#include "acg/operations/operation.h"
#include "sim/stream/race.h"

namespace covenant::sim {

/// All token counters of a machine. A counter belongs to (memory, slot, full or free); within a block one engine posts
/// to it and one waits at it. Times are cycles; a token is known as soon as its poster has been simulated that far,
/// and visible from its own cycle on.
class Channels {
 public:
  /// `run_ahead`: tokens that may be given beyond the buffers before it is known when older ones are taken.
  explicit Channels(const acg::Machine& machine, uint32_t run_ahead = 0);

  /// Start of a block: full = 0, free = buffers; no engine has posted or waited yet.
  void clear();

  /// The counter that the operands of a wait or post name. Fault: SIM0013 (no such channel).
  uint32_t counter(const acg::Instruction& instruction) const;
  /// Faults SIM0014 if another engine already posts to (waits at) the counter in this block.
  void claim(uint32_t counter, uint32_t engine, bool posting);

  /// True if a token has been posted that has not been taken yet.
  bool has_token(uint32_t counter) const { return counters_[counter].posted > counters_[counter].taken; }
  struct Taken {
    uint64_t issue = 0;            ///< cycle in which the wait issues
    const Clock* clock = nullptr;  ///< clock of its poster; null for the tokens that a block starts with
  };
  /// Takes the oldest token for a wait that arrived in cycle `arrival`. Precondition: has_token. Faults SIM0015: a
  /// token that was given ahead finds no buffer.
  Taken take(uint32_t counter, uint64_t arrival);

  /// True if the next token may be posted: the one `buffers + run_ahead` before it has been taken.
  bool has_room(uint32_t counter) const;
  /// Gives a token visible from cycle `visible` on. Precondition: has_room. Faults SIM0015.
  void post(uint32_t counter, uint64_t visible, const Clock& clock);

  /// Fault SIM0015: the token that becomes visible in `cycle` finds no buffer. A post that is held back for lack of
  /// room calls this once it is certain that no older token is taken before that cycle.
  [[noreturn]] void raise_overflow(uint32_t counter, uint64_t cycle) const;

  /// The engine that waits at (posts to) the counter in this block, if known.
  std::optional<uint32_t> waiter(uint32_t counter) const { return counters_[counter].waiter; }
  std::optional<uint32_t> poster(uint32_t counter) const { return counters_[counter].poster; }

  /// "IBUF.full" (the same for all slots, as cause of stalls) and "IBUF slot 0 full".
  std::string cause(uint32_t counter) const;
  std::string describe(uint32_t counter) const;
  uint32_t buffers(uint32_t counter) const { return counters_[counter].buffers; }
  size_t size() const { return counters_.size(); }

  /// Fault SIM0015 if a token that was given ahead finds no buffer, none being taken any more.
  void check_overflow() const;
  /// Fault SIM0016 (SIM0015) if the block ends with other counts than it started with.
  void check_balanced() const;

 private:
  struct Token {
    uint64_t visible = 0;
    Clock clock;
    bool initial = true;
  };
  struct Counter {
    uint32_t memory = 0;
    uint32_t buffers = 0;  ///< 0: the channel does not exist
    std::optional<uint32_t> poster;
    std::optional<uint32_t> waiter;
    uint64_t posted = 0;  ///< tokens given, those of the start included
    uint64_t taken = 0;
    uint32_t capacity = 0;             ///< buffers + run_ahead
    std::vector<Token> tokens;         ///< ring of `capacity`, by number of the token
    std::vector<uint64_t> take_issue;  ///< the same ring, for the cycles in which tokens were taken
  };
  std::vector<std::string> memory_names_;
  std::vector<Counter> counters_;
};

}  // namespace covenant::sim
