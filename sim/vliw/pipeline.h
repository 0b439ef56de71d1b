/// The pipeline timing of packets: when each issues, when its vector part runs, and what they wait for.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "sim/vliw/address_mapping.h"
#include "sim/vliw/micro_operation.h"
#include "sim/vliw/packet_times.h"
#include "sim/vliw/packet_timing.h"
#include "sim/vliw/shared_side.h"

namespace covenant::sim::vliw {

class Pipeline {
 public:
  /// Fault SIM0061: no core, or no way from memory to its registers. `mapping`: of the addresses that its packets
  /// use.
  Pipeline(const acg::Machine& machine, std::shared_ptr<SharedSide> shared, AddressMapping mapping);

  /// Events of a packet's execution that `timing` cannot know.
  struct Happened {
    std::span<const Touch> touched;
    bool is_taken = false;          ///< a branch was taken; the end of a hardware loop is none
    bool is_guessed_wrong = false;  ///< a conditional branch was mispredicted
    Block prefetched{};             ///< block of a prefetch
  };
  /// Precondition: `can_issue`; `timing` outlives the packet. If memory is asked, `take_retired` returns its times.
  PacketTimes issue(const PacketTiming& timing, const Happened& happened);
  /// The first cycle in which the packet could issue next, if it had its turn.
  uint64_t earliest_issue(const PacketTiming& timing) const;

  /// True if off-chip memory is asked when it answers: cycles may be unknown until then.
  bool asks() const { return shared_->memory.edge().asks(); }
  /// True if it is known by now when the packet could issue next.
  bool can_issue(const PacketTiming& timing);
  /// Lets vector parts run and requests lines, as far as their times are known by now.
  void advance();
  /// The times of the oldest packet that has not been returned yet. Nothing as long as one of them is unknown. If
  /// memory is not asked, there is none.
  std::optional<PacketTimes> take_retired();
  /// True if the times of all packets have been returned.
  bool is_settled() const { return flights_.empty(); }

  const PipelineCounts& counts() const { return counts_; }
  const SharedSide& shared() const { return *shared_; }
  const std::vector<MemoryPaths::Level>& caches() const { return shared_->memory.levels(); }
  /// Cycle in which everything that has issued is done; if memory is asked, all packets whose times have been returned.
  uint64_t cycles() const { return cycles_; }
  /// The first cycle in which another packet could issue.
  uint64_t next() const { return next_; }

 private:
  /// The first cycle at or after `wanted` that is whole intervals after `from`; `from` if that is later.
  uint64_t on_grid(uint64_t from, uint64_t wanted) const {
    if (wanted <= from) [[likely]]
      return from;
    return from + (wanted - from + interval_ - 1) / interval_ * interval_;
  }
  uint64_t earliest(std::span<const StageUse> reads, uint64_t at) const {
    for (const StageUse& use : reads) {
      const uint64_t ready = ready_[use.index];
      if (ready > at + use.stage) at = ready - use.stage;
    }
    return at;
  }
  /// A vector part that has issued and not run.
  struct Part {
    const PacketTiming* timing = nullptr;
    PacketTimes* times = nullptr;
    uint64_t loaded = 0;  ///< moment in which the vectors that it loads have come
    uint64_t ran = 0;     ///< the moment that it tells
  };

  Moments& moments() { return shared_->memory.moments(); }
  /// Results become available the given number of stages after the moment `at`. Returns the last of these moments.
  uint64_t write(std::span<const StageUse> writes, uint64_t at);
  /// The cycle in which it could issue; adds its stalls to `waits`.
  uint64_t ready_to_issue(const PacketTiming& timing, WaitCycles& waits) const {
    uint64_t wanted = earliest(timing.scalar_reads, next_);
    // A read of the cycle counter must know the cycle.
    if (timing.reads_cycles && asks()) [[unlikely]]
      wanted = std::max(wanted, cycles_);
    const uint64_t operands = on_grid(next_, wanted);
    waits.scalar_registers = operands - next_;
    if (!timing.has_vector_part) return operands;
    // The part that ran `queue` parts ago has left its place.
    const uint64_t place =
        on_grid(operands, queue_[parts_.empty() ? queue_at_ : (queue_at_ + parts_.size()) % queue_.size()]);
    waits.queue = place - operands;
    return place;
  }
  uint64_t issue_vector(const PacketTiming& timing, const Happened& happened, PacketTimes& times);
  /// The cycle in which its vector part runs, whose vectors come in cycle `loaded`.
  uint64_t run_vector(const PacketTiming& timing, uint64_t issued, uint64_t loaded, VectorWaitCycles& waits);
  uint64_t load_vectors(const PacketTiming& timing, const Happened& happened, uint64_t issued);
  void store_vectors(const PacketTiming& timing, const Happened& happened, uint64_t ran);
  uint64_t access_scalars(const PacketTiming& timing, const Happened& happened, uint64_t issued);
  void prefetch(const Block& block, uint64_t now);
  void retire(const PacketTimes& times);

  std::shared_ptr<SharedSide> shared_;
  AddressMapping mapping_;
  size_t scalar_way_ = 0, vector_way_ = 0;
  uint64_t interval_ = 1;
  uint64_t taken_ = 0, mispredicted_ = 0;  ///< packets lost by a branch
  /// Moments: a reader in stage s may issue in cycle ready - s.
  std::array<uint64_t, kRegisterCount> ready_{};
  std::vector<uint64_t> queue_;  ///< when the vector parts before ran, in a ring
  size_t queue_at_ = 0;          ///< index of the next part that runs in the queue
  uint64_t next_ = 0;            ///< first cycle for the next packet
  uint64_t vector_next_ = 0;     ///< first cycle for the next vector part
  uint64_t cycles_ = 0;
  /// If memory is asked: packets whose times have not been returned; `ran` and `retired` are moments.
  std::deque<PacketTimes> flights_;
  std::deque<Part> parts_;  ///< those of them whose vector part has not run
  PipelineCounts counts_;
};

}  // namespace covenant::sim::vliw
