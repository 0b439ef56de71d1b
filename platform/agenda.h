/// An agenda of timed items, in an order that does not depend on the order in which SystemC runs processes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <systemc>
#include <tuple>
#include <utility>
#include <vector>

namespace covenant::sc {

/// Items with a time each. One process of its owner is sensitive to `event()` and runs:
///
///     if (!agenda.has_settled()) return;
///     for (Item& item : agenda.take()) ...
///
/// Processes that run at the same time may insert items in any order, and the owner's process may run before or after
/// them. Items that are due are therefore taken one delta cycle after their time has come, in the order of ranks; items
/// inserted later at the same time are taken in a delta cycle of their own.
template <typename Item>
class Agenda {
 public:
  const sc_core::sc_event& event() const { return event_; }

  /// Among items of the same time the lower rank comes first, then the one inserted first. A time in the past counts as
  /// now.
  void put(const sc_core::sc_time& when, uint32_t rank, Item item) {
    const sc_core::sc_time due = std::max(when, sc_core::sc_time_stamp());
    items_.emplace(Key{due, rank, count_++}, Entry{sc_core::sc_delta_count(), std::move(item)});
    notify(due);
  }

  /// Wakes the owner's process at `when`, whether anything is due or not. Only the last call counts.
  void wake_at(const sc_core::sc_time& when) {
    wake_ = std::max(when, sc_core::sc_time_stamp());
    notify(*wake_);
  }

  /// False: the process is to return, it runs again in the next delta cycle.
  bool has_settled() {
    if (settled_at_ == sc_core::sc_time_stamp()) return true;
    settled_at_ = sc_core::sc_time_stamp();
    event_.notify(sc_core::SC_ZERO_TIME);
    return false;
  }

  /// All items that are due and were put in in an earlier delta cycle.
  std::vector<Item> take() {
    std::vector<Item> taken;
    const sc_core::sc_time& now = sc_core::sc_time_stamp();
    for (auto next = items_.begin(); next != items_.end() && std::get<0>(next->first) <= now;) {
      if (next->second.delta == sc_core::sc_delta_count()) {
        ++next;
      } else {
        taken.push_back(std::move(next->second.item));
        next = items_.erase(next);
      }
    }
    if (wake_ && *wake_ <= now) wake_.reset();
    if (!items_.empty()) notify(std::get<0>(items_.begin()->first));
    if (wake_) notify(*wake_);
    return taken;
  }

 private:
  using Key = std::tuple<sc_core::sc_time, uint32_t, uint64_t>;  ///< time, rank, number
  struct Entry {
    uint64_t delta = 0;  ///< the delta cycle in which it was put in
    Item item;
  };

  /// An event has one notification at most, and keeps the earlier one.
  void notify(const sc_core::sc_time& when) { event_.notify(when - sc_core::sc_time_stamp()); }

  sc_core::sc_event event_;
  std::map<Key, Entry> items_;
  std::optional<sc_core::sc_time> wake_;
  std::optional<sc_core::sc_time> settled_at_;
  uint64_t count_ = 0;
};

}  // namespace covenant::sc
