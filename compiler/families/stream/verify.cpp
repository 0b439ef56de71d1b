#include "compiler/families/stream/verify.h"

#include <algorithm>
#include <deque>
#include <iterator>
#include <map>
#include <tuple>
#include <vector>

#include "acg/graph/queries.h"
#include "compiler/families/stream/engine_steps.h"

namespace covenant::compiler::stream {
namespace {

using acg::Instruction;
using acg::Operation;

/// Vector clock: for each engine, how many of its words happened before.
using Clock = std::vector<uint64_t>;

struct Counter {
  std::deque<Clock> tokens;  ///< in the order in which they were posted
  std::optional<size_t> poster;
  std::optional<size_t> waiter;
};

/// Records for each byte when it was last touched; times never decrease.
class LastTouches {
 public:
  /// The last time at which one of the bytes [first, end) was touched; 0: never.
  uint64_t latest(int64_t first, int64_t end) const {
    uint64_t latest = 0;
    auto at = ranges_.upper_bound(first);
    if (at != ranges_.begin() && std::prev(at)->second.end > first) --at;
    for (; at != ranges_.end() && at->first < end; ++at) latest = std::max(latest, at->second.time);
    return latest;
  }

  void touch(int64_t first, int64_t end, uint64_t time) {
    if (first >= end) return;
    split(first);
    split(end);
    auto after = ranges_.erase(ranges_.lower_bound(first), ranges_.lower_bound(end));
    if (after != ranges_.end() && after->first == end && after->second.time == time) {
      end = after->second.end;
      after = ranges_.erase(after);
    }
    if (after != ranges_.begin()) {
      Range& before = std::prev(after)->second;
      if (before.end == first && before.time == time) {
        before.end = end;
        return;
      }
    }
    ranges_.emplace_hint(after, first, Range{end, time});
  }

 private:
  struct Range {
    int64_t end = 0;
    uint64_t time = 0;
  };

  /// Splits the range around `place`, so that none extends across it.
  void split(int64_t place) {
    const auto next = ranges_.lower_bound(place);
    if (next == ranges_.begin()) return;
    Range& before = std::prev(next)->second;
    if (before.end <= place) return;
    ranges_.emplace_hint(next, place, Range{before.end, before.time});
    before.end = place;
  }

  std::map<int64_t, Range> ranges_;  ///< disjoint, by their first byte
};

class Verifier {
 public:
  Verifier(const BlockCode& code, const acg::Machine& machine,
           const std::function<uint64_t(acg::MemoryId)>& memory_bytes)
      : machine_(machine), memory_bytes_(memory_bytes) {
    for (uint32_t engine = 0; engine < code.size(); ++engine) {
      streams_.emplace_back(machine, engine, code[engine]);
      clocks_.emplace_back(code.size(), 0);
    }
  }

  std::optional<std::string> run() {
    bool advanced = true;
    while (advanced && problem_.empty()) {
      advanced = false;
      for (size_t engine = 0; engine < streams_.size() && problem_.empty(); ++engine) {
        while (can_step(engine) && problem_.empty()) {
          step(engine);
          advanced = true;
        }
      }
    }
    if (problem_.empty()) check_end();
    if (problem_.empty()) return std::nullopt;
    return problem_;
  }

 private:
  static constexpr int32_t kFull = static_cast<int32_t>(acg::Token::kFull);

  Counter& counter(const Instruction& instruction, int32_t token) {
    const int32_t memory = instruction.operands[acg::operand_index(instruction.operation, "memory")];
    const int32_t slot = instruction.operands[acg::operand_index(instruction.operation, "slot")];
    const auto [place, is_new] = counters_.try_emplace({memory, slot, token});
    if (is_new && token != kFull) {  // every buffer is free at first
      place->second.tokens.assign(buffers(memory), Clock(streams_.size(), 0));
    }
    return place->second;
  }

  uint32_t buffers(int32_t memory) const { return machine_.memories.at(static_cast<size_t>(memory)).buffers; }

  static int32_t token_of(const Instruction& instruction) {
    return instruction.operands[acg::operand_index(instruction.operation, "token")];
  }

  bool can_step(size_t engine) {
    if (streams_[engine].is_done()) return false;
    const Instruction& next = streams_[engine].next();
    return next.operation != Operation::kWait || !counter(next, token_of(next)).tokens.empty();
  }

  void step(size_t engine) {
    const Instruction next = streams_[engine].next();
    Clock& clock = clocks_[engine];
    ++clock[engine];
    if (next.operation == Operation::kWait) take(engine, next);
    const Executed executed = streams_[engine].step();
    if (!streams_[engine].problem().empty()) return complain(streams_[engine].problem());
    for (const Touch& touch : executed.touches) check_touch(engine, touch);
    if (next.operation == Operation::kPost) give(engine, next);
  }

  void claim(std::optional<size_t>& place, size_t engine, const char* what) {
    if (place && *place != engine) complain(std::string("a channel has two engines that ") + what);
    place = engine;
  }

  void take(size_t engine, const Instruction& instruction) {
    Counter& from = counter(instruction, token_of(instruction));
    claim(from.waiter, engine, "wait for one token");
    const Clock& given = from.tokens.front();
    for (size_t i = 0; i < given.size(); ++i) clocks_[engine][i] = std::max(clocks_[engine][i], given[i]);
    from.tokens.pop_front();
  }

  void give(size_t engine, const Instruction& instruction) {
    Counter& to = counter(instruction, token_of(instruction));
    claim(to.poster, engine, "post one token");
    to.tokens.push_back(clocks_[engine]);
    const int32_t memory = instruction.operands[acg::operand_index(instruction.operation, "memory")];
    if (to.tokens.size() > buffers(memory))
      complain("a channel of " + name_of(memory) + " has more tokens than buffers");
    // Both counters of a channel exist as soon as one of them is used.
    counter(instruction, token_of(instruction) == kFull ? static_cast<int32_t>(acg::Token::kFree) : kFull);
  }

  std::string name_of(int32_t memory) const { return machine_.memories.at(static_cast<size_t>(memory)).name; }

  void complain(const std::string& what) {
    if (problem_.empty()) problem_ = what;
  }

  void check_touch(size_t engine, const Touch& touch) {
    if (acg::get(machine_, touch.memory).kind == acg::MemoryKind::kOffchip) return check_offchip(engine, touch);
    auto& seen = seen_[{touch.memory.value, touch.buffer}];
    const int64_t end = touch.first + touch.size;
    for (const auto& [key, touches] : seen) {
      const auto& [other, is_write] = key;
      if (other == engine || (!is_write && !touch.is_write)) continue;
      if (touches.latest(touch.first, end) > clocks_[engine][other]) {
        return complain_of_race(other, engine, touch.memory);
      }
    }
    seen[{engine, touch.is_write}].touch(touch.first, end, clocks_[engine][engine]);
  }

  void complain_of_race(size_t one, size_t other, acg::MemoryId memory) {
    const std::vector<acg::Engine> engines = acg::engines(machine_);
    complain("engines " + engines[one].name + " and " + engines[other].name + " race for bytes of " +
             acg::get(machine_, memory).name);
  }

  /// A block may read or write an off-chip tensor, but not both, whatever the order.
  void check_offchip(size_t engine, const Touch& touch) {
    if (touch.first < 0 || touch.first + touch.size > static_cast<int64_t>(memory_bytes_(touch.memory))) {
      return complain("off-chip bytes " + std::to_string(touch.first) + ".." +
                      std::to_string(touch.first + touch.size - 1) + " lie outside the program's memory");
    }
    const int64_t end = touch.first + touch.size;
    Seen& seen = offchip_[touch.memory.value];
    for (const auto& [key, touches] : seen) {
      const auto& [other, is_write] = key;
      if (other == engine || (!is_write && !touch.is_write)) continue;
      if (touches.latest(touch.first, end) > 0) return complain_of_race(other, engine, touch.memory);
    }
    constexpr uint64_t kAnyTime = 1;
    seen[{engine, touch.is_write}].touch(touch.first, end, kAnyTime);
  }

  void check_end() {
    for (size_t engine = 0; engine < streams_.size(); ++engine) {
      if (!streams_[engine].is_done()) {
        return complain("engine " + acg::engines(machine_)[engine].name + " waits for ever at word " +
                        std::to_string(streams_[engine].position()));
      }
      if (streams_[engine].has_open_loops()) return complain("a loop is never closed");
    }
    for (const auto& [key, counter] : counters_) {
      const auto& [memory, slot, token] = key;
      const size_t wanted = token == kFull ? 0 : buffers(memory);
      if (counter.tokens.size() != wanted) {
        return complain("channel " + std::to_string(slot) + " of " + name_of(memory) + " ends with " +
                        std::to_string(counter.tokens.size()) + " tokens instead of " + std::to_string(wanted));
      }
    }
  }

  const acg::Machine& machine_;
  const std::function<uint64_t(acg::MemoryId)>& memory_bytes_;
  std::vector<Stream> streams_;
  std::vector<Clock> clocks_;
  std::map<std::tuple<int32_t, int32_t, int32_t>, Counter> counters_;  ///< (memory, slot, token)
  using Seen = std::map<std::pair<size_t, bool>, LastTouches>;         ///< (engine, is a write)
  std::map<std::pair<uint32_t, uint32_t>, Seen> seen_;                 ///< (memory, buffer)
  std::map<uint32_t, Seen> offchip_;                                   ///< by memory
  std::string problem_;
};

}  // namespace

std::optional<std::string> find_problem(const BlockCode& code, const acg::Machine& machine,
                                        const std::function<uint64_t(acg::MemoryId)>& memory_bytes) {
  return Verifier(code, machine, memory_bytes).run();
}

}  // namespace covenant::compiler::stream
