/// Moments: cycles that may not be known yet, because a memory has not answered. Values that follow from them are known
/// when they are.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>

namespace covenant::sim::vliw {

/// A moment is a cycle, or stands for one that is not known yet. Ask for the value of a stored moment before computing
/// with it.
class Moments {
 public:
  /// Cycles are below this number; placeholders for unknown cycles are not.
  static constexpr uint64_t kUnknown = uint64_t{1} << 62U;
  static bool is_known(uint64_t moment) { return moment < kUnknown; }

  /// A new unknown moment, which `settle` will resolve.
  uint64_t open();
  /// Sets the cycle of a moment. Precondition: `moment` comes from `open`, and is not settled yet.
  void settle(uint64_t moment, uint64_t cycle);

  /// Its cycle if that is known, otherwise its placeholder.
  uint64_t value(uint64_t moment) { return is_known(moment) ? moment : look_up(moment); }
  /// The later of two moments.
  uint64_t later(uint64_t left, uint64_t right) {
    if (is_known(left) && is_known(right)) [[likely]]
      return std::max(left, right);
    return later_unknown(value(left), value(right));
  }
  /// The moment `cycles` after another one.
  uint64_t after(uint64_t moment, uint64_t cycles) {
    if (is_known(moment)) [[likely]]
      return moment + cycles;
    return after_unknown(value(moment), cycles);
  }

  /// No later query will ask whether anything was before `cycle`, or when: all stored moments up to then become
  /// equivalent.
  void forget(uint64_t cycle);

 private:
  /// Stands for max(left, right) + cycles; one from `open` holds kUnknown until it is settled.
  struct Entry {
    uint64_t left = kUnknown;
    uint64_t right = 0;
    uint64_t cycles = 0;
  };
  static constexpr uint64_t kOpen = UINT64_MAX;
  uint64_t look_up(uint64_t moment);
  uint64_t later_unknown(uint64_t left, uint64_t right);
  uint64_t after_unknown(uint64_t moment, uint64_t cycles);
  uint64_t add(const Entry& entry);
  Entry& entry_of(uint64_t moment) { return entries_[moment - kUnknown - first_]; }

  std::deque<Entry> entries_;
  uint64_t first_ = 0;  ///< number of the first of them
};

}  // namespace covenant::sim::vliw
