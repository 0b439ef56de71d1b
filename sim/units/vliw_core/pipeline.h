/// The time of packets: when each issues, when its vector part runs, and what they wait for.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "sim/units/vliw_core/micro_operation.h"
#include "sim/units/vliw_core/packet_timing.h"
#include "sim/units/vliw_core/residence.h"
#include "sim/units/vliw_core/shared_side.h"

namespace covenant::sim::vliw {

/// Cycles in which no packet issued, by cause.
struct WaitCycles {
  uint64_t scalar_registers = 0;  ///< a scalar register or predicate that is not there yet
  uint64_t queue = 0;             ///< the queue of the vector side is full
  uint64_t branches = 0;          ///< taken, or guessed wrong
  uint64_t turn = 0;              ///< packets of other contexts issued
  WaitCycles& operator+=(const WaitCycles& other) {
    scalar_registers += other.scalar_registers;
    queue += other.queue;
    branches += other.branches;
    turn += other.turn;
    return *this;
  }
  bool operator==(const WaitCycles&) const = default;
};
/// Cycles in which the vector side ran no packet although it had one, by cause.
struct VectorWaitCycles {
  uint64_t registers = 0;  ///< a vector register that is not there yet
  uint64_t loads = 0;      ///< data on the way from memory
  uint64_t units = 0;      ///< the vector units run parts of other contexts
  VectorWaitCycles& operator+=(const VectorWaitCycles& other) {
    registers += other.registers;
    loads += other.loads;
    units += other.units;
    return *this;
  }
  bool operator==(const VectorWaitCycles&) const = default;
};

struct PipelineCounts {
  uint64_t packets = 0;
  uint64_t vector_packets = 0;
  WaitCycles waits;
  VectorWaitCycles vector_waits;
  PipelineCounts& operator+=(const PipelineCounts& other) {
    packets += other.packets;
    vector_packets += other.vector_packets;
    waits += other.waits;
    vector_waits += other.vector_waits;
    return *this;
  }
  bool operator==(const PipelineCounts&) const = default;
};

/// Of one packet.
struct PacketTimes {
  uint64_t issued = 0;
  uint64_t ran = 0;               ///< its vector part; without one as issued
  uint64_t retired = 0;           ///< everything that it writes is there
  WaitCycles waits;               ///< before it issued; of branches after it
  VectorWaitCycles vector_waits;  ///< before its vector part ran
};

class Pipeline {
 public:
  /// Fault SIM0061: no core, or no way from memory to its registers. `residence`: of the addresses that its packets
  /// use.
  Pipeline(const acg::Machine& machine, std::shared_ptr<SharedSide> shared, Residence residence);

  /// What has happened in the packet, but for what `timing` says.
  struct Happened {
    std::span<const Touch> touched;
    bool is_taken = false;          ///< a branch has been; the end of a hardware loop is none
    bool is_guessed_wrong = false;  ///< a conditional branch went the other way than its text says
    Block prefetched{};             ///< of a prefetch
  };
  PacketTimes issue(const PacketTiming& timing, const Happened& happened);
  /// The first cycle in which the packet could issue as the next one, if it had its turn.
  uint64_t earliest_issue(const PacketTiming& timing) const;

  const PipelineCounts& counts() const { return counts_; }
  const SharedSide& shared() const { return *shared_; }
  const std::vector<MemoryPaths::Level>& caches() const { return shared_->memory.levels(); }
  /// Cycle in which all that has issued is done.
  uint64_t cycles() const { return cycles_; }

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
  uint64_t write(std::span<const StageUse> writes, uint64_t at);
  /// The cycle in which it could issue; what it waits for goes into `waits`.
  uint64_t ready_to_issue(const PacketTiming& timing, WaitCycles& waits) const {
    const uint64_t operands = on_grid(next_, earliest(timing.scalar_reads, next_));
    waits.scalar_registers = operands - next_;
    if (!timing.has_vector_part) return operands;
    // The part that ran `queue` parts ago has left its place.
    const uint64_t place = on_grid(operands, queue_[queue_at_]);
    waits.queue = place - operands;
    return place;
  }
  /// The cycle in which its vector part runs.
  uint64_t run_vector(const PacketTiming& timing, const Happened& happened, uint64_t issued, VectorWaitCycles& waits);
  uint64_t access_scalars(const PacketTiming& timing, const Happened& happened, uint64_t issued);
  void prefetch(const Block& block, uint64_t now);

  std::shared_ptr<SharedSide> shared_;
  Residence residence_;
  size_t scalar_way_ = 0, vector_way_ = 0;
  uint64_t interval_ = 1;
  uint64_t taken_ = 0, mispredicted_ = 0;         ///< packets lost by a branch
  std::array<uint64_t, kRegisterCount> ready_{};  ///< a reader in stage s may issue in cycle ready - s
  std::vector<uint64_t> queue_;                   ///< when the vector parts before ran, in a ring
  size_t queue_at_ = 0;                           ///< the place of the next one in it
  uint64_t next_ = 0;                             ///< first cycle for the next packet
  uint64_t vector_next_ = 0;                      ///< first cycle for the next vector part
  uint64_t cycles_ = 0;
  PipelineCounts counts_;
};

}  // namespace covenant::sim::vliw
