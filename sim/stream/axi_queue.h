/// A queue of the AXI masters by its times: when its entries come and go (rtl/src/common/covenant_queue.sv).
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

namespace covenant::sim {

/// Entries come in one cycle each and leave in their order. Room is what a register shows: a place is taken from the
/// cycle after an entry has come, and free from the cycle after it has left.
class AxiQueue {
 public:
  explicit AxiQueue(uint64_t places) : places_(places) {}

  /// Precondition: later than the entry before.
  void enter(uint64_t cycle);
  /// The oldest entry that has not left leaves. Precondition: there is one, and it has come before.
  void leave(uint64_t cycle);
  /// The first cycle from `cycle` on in which there is room; nothing: that depends on an entry that has not left.
  /// `cycle` is not more than two cycles before the last entry came.
  std::optional<uint64_t> room_from(uint64_t cycle) const;

 private:
  uint64_t places_;
  std::deque<uint64_t> entered_;
  std::deque<uint64_t> left_;  ///< of the first of them
};

}  // namespace covenant::sim
