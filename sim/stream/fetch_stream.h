/// The beats of instruction fetch from a memory that must be asked when it answers (docs/reference/off-chip-port.md).
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "sim/stream/axi_master.h"

namespace covenant::sim {

/// Requests one beat per cycle until the last one of a block has arrived. Beats requested past that are dropped when
/// they arrive, which is before those of the next block.
class FetchStream {
 public:
  /// `outstanding`: of the AXI master before its memory; 0: there is none.
  explicit FetchStream(uint64_t latency, uint64_t outstanding = 0);

  /// The beats of a block, from `cycle` on. Precondition: has_come.
  void begin(uint64_t cycle);
  /// The cycle of the next request; nothing: that depends on an answer, or the block has come.
  std::optional<uint64_t> next() const;
  /// The beat of `next()` has been requested in its cycle.
  void requested();
  /// The cycle in which the oldest requested beat that has not been issued reaches the memory; nothing: there is none,
  /// or that depends on answers to come.
  std::optional<uint64_t> next_issue() const;
  /// It has been issued in its cycle.
  void issued();
  /// The oldest beat without an answer has one in `cycle`; `is_last`: with it the block has come. Returns the cycle in
  /// which the fetch unit takes it.
  uint64_t answered(uint64_t cycle, bool is_last = false);
  /// True if an AXI master is before its memory.
  bool has_master() const { return master_.has_value(); }

  /// The last block has come; true, too, before the first one.
  bool has_come() const { return has_come_; }
  /// The oldest beat without an answer is one of the block: it is not dropped when it comes.
  bool is_wanted() const { return answered_ >= first_ && !has_come(); }
  /// Beats that have arrived up to that cycle, those too that are dropped.
  uint64_t arrived_by(uint64_t cycle) const;
  /// When each beat of the block has arrived. Precondition: has_come.
  const std::vector<uint64_t>& arrivals() const { return arrived_; }
  /// Cycles in which a beat of a block was due and memory had not answered.
  uint64_t waited() const { return waited_; }

 private:
  uint64_t latency_;
  uint64_t places_;
  std::vector<uint64_t> issue_;   ///< ring, by number of the beat
  std::vector<uint64_t> arrive_;  ///< the same for answers
  uint64_t issued_ = 0;
  uint64_t answered_ = 0;
  uint64_t first_ = 0;  ///< number of the block's first beat
  bool has_come_ = true;
  uint64_t cycle_ = 0;  ///< earliest cycle of the next request
  uint64_t last_ = 0;   ///< cycle in which the last beat has arrived
  std::vector<uint64_t> arrived_;
  uint64_t waited_ = 0;
  std::optional<AxiReadMaster> master_;
  std::deque<uint64_t> unissued_;  ///< without a master: cycles of beats
};

}  // namespace covenant::sim
