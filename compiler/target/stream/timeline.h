/// Engines that run their words one after the other, meet at tokens (docs/reference/units/sequencer.md) and share
/// buses: when each of them has done what.
#pragma once

#include <cstdint>
#include <vector>

#include "acg/graph/graph.h"
#include "compiler/target/stream/bus.h"

namespace covenant::compiler::stream {

/// What does not change while an engine runs.
struct TimedEngine {
  uint64_t start = 0;  ///< arrival of its first word
  uint64_t depth = 1;  ///< cycles from a word's last port cycle until its effect is visible
  size_t bus = kNoBus;
  uint64_t burst = acg::kBurstBeats;  ///< beats that it moves on a bus before another engine has its turn
  static constexpr size_t kNoBus = SIZE_MAX;
};

enum class TokenKind : uint8_t { kFull, kFree };

/// Words are given engine by engine in an order in which every token is posted before it is waited for. Where engines
/// share a bus, they run only in `finish`: who has it when, depends on all of them.
class Timeline {
 public:
  Timeline(std::vector<TimedEngine> engines, size_t buses);
  /// A channel of so many buffers, all of them free at first; its number.
  size_t add_channel(size_t buffers);

  void word(size_t engine, uint64_t count = 1);  ///< those that take a cycle each
  void run(size_t engine, uint64_t occupancy);   ///< a command; on a bus: of so many beats
  void wait(size_t engine, size_t channel, TokenKind token);
  void post(size_t engine, size_t channel, TokenKind token);
  void finish();
  bool is_used(size_t engine) const { return is_used_[engine]; }  ///< has run a command

  struct Times {
    uint64_t now = 0;  ///< arrival of the engine's next word
    uint64_t work = 0;
    uint64_t stall = 0;    ///< waiting for tokens or the bus
    uint64_t retired = 0;  ///< of its last command
  };
  const Times& of(size_t engine) const { return times_[engine]; }

 private:
  enum class Kind : uint8_t { kWord, kRun, kWait, kPost };
  struct Step {
    Kind kind = Kind::kWord;
    TokenKind token = TokenKind::kFull;
    size_t channel = 0;
    uint64_t occupancy = 0;  ///< of a command; of words: how many
  };
  /// When tokens become visible, in the order in which they are posted.
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
  std::vector<Queue> queues_;  ///< two for each channel
  std::vector<Bus> buses_;
  // Where engines share buses only:
  std::vector<std::vector<Step>> steps_;  ///< by engine
  std::vector<size_t> next_;              ///< step of each engine
  std::vector<bool> on_bus_;              ///< engines whose transfer is open
};

}  // namespace covenant::compiler::stream
