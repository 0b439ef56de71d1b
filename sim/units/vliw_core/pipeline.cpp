#include "sim/units/vliw_core/pipeline.h"

#include <algorithm>

#include "acg/graph/queries.h"
#include "sim/units/fault.h"

namespace covenant::sim::vliw {
namespace {

/// The file of the widest registers, or of the narrowest that words are loaded into.
acg::MemoryId registers_of(const acg::Machine& machine, bool widest) {
  std::optional<acg::MemoryId> found;
  for (const acg::Compute& compute : machine.computes) {
    if (compute.unit != acg::UnitKind::kVliwCore) continue;
    const acg::MemoryId memory = role(machine, compute, "registers");
    const bool is_better = !found || (get(machine, memory).data_width > get(machine, *found).data_width) == widest;
    if (is_better) found = memory;
  }
  if (!found)
    raise("SIM0061", "a machine without a core of kind vliw_core", machine.name, {}, "add a compute node of that unit");
  return *found;
}

}  // namespace

Pipeline::Pipeline(const acg::Machine& machine, std::shared_ptr<SharedSide> shared, Residence residence)
    : shared_(std::move(shared)),
      residence_(std::move(residence)),
      scalar_way_(shared_->memory.way_to(registers_of(machine, false))),
      vector_way_(shared_->memory.way_to(registers_of(machine, true))),
      interval_(machine.packet.interval),
      taken_(attribute_of(machine, "taken", 0)),
      mispredicted_(attribute_of(machine, "mispredicted", 0)),
      queue_(attribute_of(machine, "queue", 1)) {}

uint64_t Pipeline::write(std::span<const StageUse> writes, uint64_t at) {
  uint64_t last = at;
  for (const StageUse& use : writes) {
    ready_[use.index] = at + use.stage;
    last = std::max(last, at + use.stage);
  }
  return last;
}

uint64_t Pipeline::earliest_issue(const PacketTiming& timing) const {
  WaitCycles waits;
  return ready_to_issue(timing, waits);
}

uint64_t Pipeline::access_scalars(const PacketTiming& timing, const Happened& happened, uint64_t issued) {
  uint64_t last = issued;
  for (size_t i = 0; i < timing.accesses.size(); ++i) {
    const TimedAccess& access = timing.accesses[i];
    const Touch& touch = happened.touched[i];
    if (access.is_vector || touch.bytes == 0) continue;
    if (access.is_store) {
      shared_->memory.store(scalar_way_, residence_.of(touch.address), touch.bytes, false, issued);
      continue;
    }
    const uint64_t loaded = shared_->memory.load(scalar_way_, residence_.of(touch.address), touch.bytes, issued);
    last = std::max(last, write(access.loaded, loaded));
  }
  return last;
}

uint64_t Pipeline::run_vector(const PacketTiming& timing, const Happened& happened, uint64_t issued,
                              VectorWaitCycles& waits) {
  const uint64_t begin = std::max(issued, vector_next_);
  const uint64_t operands = on_grid(begin, earliest(timing.vector_reads, begin));
  uint64_t loaded = operands;
  for (size_t i = 0; i < timing.accesses.size(); ++i) {
    if (!timing.accesses[i].is_vector || timing.accesses[i].is_store) continue;
    const Touch& touch = happened.touched[i];
    loaded = on_grid(loaded, shared_->memory.load(vector_way_, residence_.of(touch.address), touch.bytes, issued));
  }
  const uint64_t run = shared_->vector_units.take(loaded, issued);
  waits = {operands - begin, loaded - operands, run - loaded};
  for (size_t i = 0; i < timing.accesses.size(); ++i) {
    const TimedAccess& access = timing.accesses[i];
    if (!access.is_vector || !access.is_store) continue;
    const Touch& touch = happened.touched[i];
    shared_->memory.store(vector_way_, residence_.of(touch.address), touch.bytes, access.is_masked, run);
  }
  queue_[queue_at_] = run;
  if (++queue_at_ == queue_.size()) queue_at_ = 0;
  ++counts_.vector_packets;
  vector_next_ = run + interval_;
  return run;
}

void Pipeline::prefetch(const Block& block, uint64_t now) {
  const uint32_t line = shared_->memory.last_line_bytes();
  for (uint32_t row = 0; row < block.height; ++row) {
    const uint32_t begin = block.address + row * block.stride, skipped = begin % line;
    for (uint32_t at = 0; at < block.width + skipped; at += line) {
      shared_->memory.prefetch(residence_.of(begin - skipped + at), now);
    }
  }
}

PacketTimes Pipeline::issue(const PacketTiming& timing, const Happened& happened) {
  PacketTimes times;
  const uint64_t ready = ready_to_issue(timing, times.waits);
  const uint64_t issued = shared_->turns.take(ready);
  times.waits.turn = issued - ready;
  uint64_t retired = std::max(issued + interval_, write(timing.scalar_writes, issued));
  retired = std::max(retired, access_scalars(timing, happened, issued));
  const uint64_t ran = timing.has_vector_part ? run_vector(timing, happened, issued, times.vector_waits) : issued;
  retired = std::max({retired, write(timing.vector_writes, ran), write(timing.extracted, ran)});
  if (timing.is_prefetch) prefetch(happened.prefetched, issued);
  times.waits.branches = interval_ * (happened.is_guessed_wrong ? mispredicted_ : happened.is_taken ? taken_ : 0);
  next_ = issued + interval_ + times.waits.branches;
  ++counts_.packets;
  counts_.waits += times.waits;
  counts_.vector_waits += times.vector_waits;
  cycles_ = std::max(cycles_, retired);
  times.issued = issued;
  times.ran = ran;
  times.retired = retired;
  return times;
}

}  // namespace covenant::sim::vliw
