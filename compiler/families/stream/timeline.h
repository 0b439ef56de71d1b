/// Timeline of engines that run their words one after the other, synchronise by tokens
/// (docs/reference/units/sequencer.md) and share buses.
#pragma once

#include <cstdint>
#include <vector>

#include "acg/graph/graph.h"
#include "compiler/families/stream/bus.h"

namespace covenant::compiler::stream {

/// The constant properties of an engine.
struct TimedEngine {
  uint64_t start = 0;  ///< arrival of its first word
  uint64_t depth = 1;  ///< cycles from a word's last port cycle until its effect is visible
  size_t bus = kNoBus;
  uint64_t burst = acg::kBurstBeats;  ///< beats that it moves on a bus before another engine has its turn
  static constexpr size_t kNoBus = SIZE_MAX;
};

enum class TokenKind : uint8_t { kFull, kFree };

/// Words are passed engine by engine, in an order in which every token is posted before it is waited for. If engines
/// share a bus they run only in `finish`, since the grants depend on all of them.
class Timeline {
 public:
  Timeline(std::vector<TimedEngine> engines, size_t buses);
  /// Adds a channel of `buffers` buffers, all free at first. Returns its number.
  size_t add_channel(size_t buffers);

  void word(size_t engine, uint64_t count = 1);  ///< words that take one cycle each
  void run(size_t engine, uint64_t occupancy);   ///< a command; on a bus, `occupancy` counts beats
  void wait(size_t engine, size_t channel, TokenKind token);
  void post(size_t engine, size_t channel, TokenKind token);
  void finish();
  bool is_used(size_t engine) const { return is_used_[engine]; }  ///< has run a command

  struct Times {
    uint64_t now = 0;  ///< arrival of the engine's next word
    uint64_t work = 0;
    uint64_t stall = 0;    ///< cycles in which it waits for tokens or the bus
    uint64_t retired = 0;  ///< cycle in which its last command retires
  };
  const Times& of(size_t engine) const { return times_[engine]; }

 private:
  enum class Kind : uint8_t { kWord, kRun, kWait, kPost };
  struct Step {
    Kind kind = Kind::kWord;
    TokenKind token = TokenKind::kFull;
    size_t channel = 0;
    uint64_t occupancy = 0;  ///< cycles of a command; for words, their number
  };
  /// The cycles in which tokens become visible, in the order in which they are posted.
  struct Queue {
    std::vector<uint64_t> visible;
    size_t taken = 0;
  };

  void add(size_t engine, const Step& step);
  bool execute(size_t engine, const Step& step);
  void retire(size_t engine, uint64_t occupancy, uint64_t end);
  void run_ahead();
  bool give_bus();
  Queue& queue(const Step& step) { return queues_[2 * step.channel + static_cast<size_t>(step.token)]; }

  std::vector<TimedEngine> engines_;
  std::vector<Times> times_;
  std::vector<bool> is_used_;  ///< by engine
  std::vector<Queue> queues_;  ///< two for each channel, one per token kind
  std::vector<Bus> buses_;
  // Used only if engines share buses:
  std::vector<std::vector<Step>> steps_;  ///< by engine
  std::vector<size_t> next_;              ///< index of each engine's next step
  std::vector<bool> on_bus_;              ///< engines with an open transfer
};

}  // namespace covenant::compiler::stream
