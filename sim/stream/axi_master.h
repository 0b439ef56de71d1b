/// When the AXI4 masters of a machine put bursts on the bus (docs/reference/off-chip-port.md, "Behind an AXI master").
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "sim/stream/axi_queue.h"

namespace covenant::sim {

/// The master of a port that reads, as covenant_axi_read: at most `outstanding` bursts are on the bus whose last beat
/// the machine has not taken.
class AxiReadMaster {
 public:
  explicit AxiReadMaster(uint64_t outstanding);

  /// The first cycle from `cycle` on in which it takes a burst; nothing: that depends on answers to come.
  std::optional<uint64_t> room_from(uint64_t cycle) const { return waiting_.room_from(cycle); }
  /// It takes a burst.
  void take(uint64_t cycle);
  /// The cycle in which the next burst is on the bus; nothing: there is none, or that depends on answers to come.
  std::optional<uint64_t> next() const;
  /// The next burst has been issued.
  void issued() { ++issued_; }
  /// The oldest burst without an answer has one in `cycle`. Returns the cycle in which the machine sees it: a later one
  /// than that of the burst.
  uint64_t answered(uint64_t cycle);
  /// The oldest burst without an answer has an error for one. Nothing is answered after it.
  void refused(uint64_t cycle) { refused_ = answered(cycle); }
  /// The cycle in which the machine is told of the error: when it has taken all beats before. Nothing: it is not known.
  std::optional<uint64_t> fault() const;
  /// The machine takes the last beat of the oldest burst in `cycle`.
  void ended(uint64_t cycle);

 private:
  void advance();

  AxiQueue waiting_;             ///< for the bus
  AxiQueue owed_;                ///< on the bus, not ended
  std::deque<uint64_t> taken_;   ///< cycles of those that wait and whose cycle on the bus is not known
  std::deque<uint64_t> on_bus_;  ///< cycles of those that have no answer
  size_t issued_ = 0;            ///< of these: have been issued
  uint64_t last_ = 0;            ///< cycle in which the last one is on the bus
  uint64_t unended_ = 0;         ///< bursts that have been answered and not ended
  uint64_t end_ = 0;             ///< cycle in which the last one has ended
  std::optional<uint64_t> refused_;
};

/// The master of a port that writes, as covenant_axi_write: a burst goes on the bus when all its beats have come, and
/// its beats follow; at most `outstanding` bursts are on the bus that have no answer.
class AxiWriteMaster {
 public:
  explicit AxiWriteMaster(uint64_t outstanding);

  /// The first cycle from `cycle` on in which the machine may move a beat; nothing: that depends on answers to come.
  std::optional<uint64_t> ready_from(uint64_t cycle) const;
  /// A beat moves in `cycle`: the first one of a burst, the last one.
  void move(uint64_t cycle, bool is_first, bool is_last);
  /// The cycle in which the last beat of the next burst is on the bus, which is when a memory is asked; nothing: there
  /// is no whole burst, or that depends on answers to come.
  std::optional<uint64_t> next() const;
  void issued() { ++issued_; }
  /// The oldest burst without an answer has one in `cycle`. Returns the cycle in which the master sees it.
  uint64_t answered(uint64_t cycle);

 private:
  struct Burst {
    uint64_t cycle = 0;  ///< not on the bus before
    uint64_t beats = 0;
  };
  void advance();

  AxiQueue waiting_;            ///< bursts for the bus
  AxiQueue beats_;              ///< beats for the bus
  AxiQueue owed_;               ///< on the bus, not answered
  uint64_t moved_ = 0;          ///< beats of the burst that is not whole
  std::deque<Burst> whole_;     ///< whose cycle on the bus is not known
  std::deque<uint64_t> ended_;  ///< cycles of the last beats of those that have no answer
  size_t issued_ = 0;
  uint64_t last_ = 0;       ///< cycle in which the last address is on the bus
  uint64_t last_beat_ = 0;  ///< and the last beat
  uint64_t answer_ = 0;     ///< and the last answer
};

}  // namespace covenant::sim
