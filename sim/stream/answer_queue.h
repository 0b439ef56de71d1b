/// The queue that decides when the off-chip work of an engine takes effect (docs/reference/off-chip-port.md,
/// "Answers").
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

namespace covenant::sim {

/// The entries of one engine, beats and posts, in order: one per cycle takes effect, not before the memory allows it.
class AnswerQueue {
 public:
  /// `latency`: of the memory and of the edge together.
  explicit AnswerQueue(uint64_t latency);

  /// The least power of two that is not less than 64 and twice the least time that an entry is under way.
  static uint64_t places(uint64_t latency);

  /// The entry that waits for the answer of a burst: none, its first beat, or its last one.
  enum class Waits : uint8_t { kNobody, kFirst, kLast };
  /// Entries that issue in cycles one after the other.
  struct Entries {
    uint64_t issue = 0;  ///< cycle of the first entry
    uint64_t count = 1;
    Waits waits = Waits::kNobody;
    bool is_noted = false;    ///< the caller wants to know when the last one takes effect
    bool ends_burst = false;  ///< the last one is the last of a burst, of which the caller wants to know, too
  };

  struct Room {
    uint64_t cycle = 0;  ///< first cycle in which an entry may issue
    uint64_t count = 0;  ///< entries that may issue from then on, one per cycle; 0: depends on answers to come
  };
  /// Room for up to `count` entries, the first not before `cycle`.
  Room room(uint64_t cycle, uint64_t count) const;
  /// Precondition: there is room for them.
  void push(const Entries& entries);
  /// The oldest unanswered burst with a waiting entry is answered in `cycle`.
  void answered(uint64_t cycle);

  /// The cycle in which the next of those noted takes effect, in their order; nothing: it is not known yet.
  std::optional<uint64_t> take_effect();
  /// The same of those that end a burst.
  std::optional<uint64_t> take_end();
  /// Cycles in which the oldest entry was due and its memory had not answered, since this was made.
  uint64_t waited() const { return waited_; }
  bool empty() const { return open_.empty() && effects_.empty(); }

  /// A block starts. Precondition: empty.
  void clear();

 private:
  void settle();

  uint64_t least_;                 ///< cycles from issue to effect
  std::vector<uint64_t> visible_;  ///< ring: of the last entries that have been settled, by number
  uint64_t pushed_ = 0;            ///< entries
  uint64_t settled_ = 0;
  uint64_t last_ = 0;  ///< cycle in which the last settled one takes effect
  std::deque<Entries> open_;
  std::deque<uint64_t> answers_;  ///< answers that no entry has used yet
  std::deque<uint64_t> effects_;
  std::deque<uint64_t> ends_;
  uint64_t waited_ = 0;
};

}  // namespace covenant::sim
