#include "sim/vliw/pipeline.h"

#include <algorithm>

#include "acg/graph/queries.h"
#include "sim/common/fault.h"

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

Pipeline::Pipeline(const acg::Machine& machine, std::shared_ptr<SharedSide> shared, AddressMapping mapping)
    : shared_(std::move(shared)),
      mapping_(std::move(mapping)),
      scalar_way_(shared_->memory.way_to(registers_of(machine, false))),
      vector_way_(shared_->memory.way_to(registers_of(machine, true))),
      interval_(machine.packet.interval),
      taken_(attribute_of(machine, "taken", 0)),
      mispredicted_(attribute_of(machine, "mispredicted", 0)),
      queue_(attribute_of(machine, "queue", 1)) {}

uint64_t Pipeline::write(std::span<const StageUse> writes, uint64_t at) {
  uint64_t last = at;
  for (const StageUse& use : writes) {
    ready_[use.index] = moments().after(at, use.stage);
    last = moments().later(last, ready_[use.index]);
  }
  return last;
}

uint64_t Pipeline::earliest_issue(const PacketTiming& timing) const {
  WaitCycles waits;
  return ready_to_issue(timing, waits);
}

bool Pipeline::can_issue(const PacketTiming& timing) {
  if (!asks()) return true;
  if (timing.reads_cycles && !is_settled()) return false;
  if (timing.has_vector_part && parts_.size() == queue_.size()) return false;
  const std::span<const StageUse> reads = timing.scalar_reads;
  return std::all_of(reads.begin(), reads.end(), [&](const StageUse& use) {
    ready_[use.index] = moments().value(ready_[use.index]);
    return Moments::is_known(ready_[use.index]);
  });
}

uint64_t Pipeline::access_scalars(const PacketTiming& timing, const Happened& happened, uint64_t issued) {
  uint64_t last = issued;
  for (size_t i = 0; i < timing.accesses.size(); ++i) {
    const TimedAccess& access = timing.accesses[i];
    const Touch& touch = happened.touched[i];
    if (access.is_vector || touch.bytes == 0) continue;
    if (access.is_store) {
      shared_->memory.store(scalar_way_, mapping_.of(touch.address), touch.bytes, false, issued);
      continue;
    }
    const uint64_t loaded = shared_->memory.load(scalar_way_, mapping_.of(touch.address), touch.bytes, issued);
    last = moments().later(last, write(access.loaded, loaded));
  }
  return last;
}

uint64_t Pipeline::load_vectors(const PacketTiming& timing, const Happened& happened, uint64_t issued) {
  uint64_t loaded = issued;
  for (size_t i = 0; i < timing.accesses.size(); ++i) {
    if (!timing.accesses[i].is_vector || timing.accesses[i].is_store) continue;
    const Touch& touch = happened.touched[i];
    const uint64_t come = shared_->memory.load(vector_way_, mapping_.of(touch.address), touch.bytes, issued);
    loaded = moments().later(loaded, come);
  }
  return loaded;
}

void Pipeline::store_vectors(const PacketTiming& timing, const Happened& happened, uint64_t ran) {
  for (size_t i = 0; i < timing.accesses.size(); ++i) {
    const TimedAccess& access = timing.accesses[i];
    if (!access.is_vector || !access.is_store) continue;
    const Touch& touch = happened.touched[i];
    shared_->memory.store(vector_way_, mapping_.of(touch.address), touch.bytes, access.is_masked, ran);
  }
}

uint64_t Pipeline::run_vector(const PacketTiming& timing, uint64_t issued, uint64_t loaded, VectorWaitCycles& waits) {
  const uint64_t begin = std::max(issued, vector_next_);
  const uint64_t operands = on_grid(begin, earliest(timing.vector_reads, begin));
  const uint64_t vectors = on_grid(operands, loaded);
  const uint64_t run = shared_->vector_units.take(vectors, issued);
  waits = {operands - begin, vectors - operands, run - vectors};
  queue_[queue_at_] = run;
  if (++queue_at_ == queue_.size()) queue_at_ = 0;
  ++counts_.vector_packets;
  vector_next_ = run + interval_;
  write(timing.vector_writes, run);
  return run;
}

/// The moment at which everything that the vector part writes is available.
uint64_t Pipeline::issue_vector(const PacketTiming& timing, const Happened& happened, PacketTimes& times) {
  const uint64_t loaded = load_vectors(timing, happened, times.issued);
  const bool runs = parts_.empty() && Moments::is_known(loaded);
  if (runs) {
    times.ran = run_vector(timing, times.issued, loaded, times.vector_waits);
  } else {
    times.ran = moments().open();
    parts_.push_back({&timing, nullptr, loaded, times.ran});
  }
  store_vectors(timing, happened, times.ran);
  uint64_t stages = 0;
  for (const StageUse& use : std::span<const StageUse>(timing.vector_writes)) {
    stages = std::max<uint64_t>(stages, use.stage);
  }
  return moments().later(moments().after(times.ran, stages), write(timing.extracted, times.ran));
}

void Pipeline::prefetch(const Block& block, uint64_t now) {
  const uint32_t line = shared_->memory.last_line_bytes();
  for (uint32_t row = 0; row < block.height; ++row) {
    const uint32_t begin = block.address + row * block.stride, skipped = begin % line;
    for (uint32_t at = 0; at < block.width + skipped; at += line) {
      shared_->memory.prefetch(mapping_.of(begin - skipped + at), now);
    }
  }
}

PacketTimes Pipeline::issue(const PacketTiming& timing, const Happened& happened) {
  PacketTimes times;
  const uint64_t ready = ready_to_issue(timing, times.waits);
  times.issued = shared_->turns.take(ready);
  times.waits.turn = times.issued - ready;
  times.ran = times.issued;
  const uint64_t scalars = std::max(times.issued + interval_, write(timing.scalar_writes, times.issued));
  times.retired = moments().later(scalars, access_scalars(timing, happened, times.issued));
  const size_t parts = parts_.size();
  if (timing.has_vector_part) {
    times.retired = moments().later(times.retired, issue_vector(timing, happened, times));
  }
  if (timing.is_prefetch) prefetch(happened.prefetched, times.issued);
  times.waits.branches = interval_ * (happened.is_guessed_wrong ? mispredicted_ : happened.is_taken ? taken_ : 0);
  next_ = times.issued + interval_ + times.waits.branches;
  ++counts_.packets;
  counts_.waits += times.waits;
  if (!asks()) {
    retire(times);
    return times;
  }
  flights_.push_back(times);
  if (parts_.size() > parts) parts_.back().times = &flights_.back();
  return times;
}

void Pipeline::retire(const PacketTimes& times) {
  counts_.vector_waits += times.vector_waits;
  cycles_ = std::max(cycles_, times.retired);
}

void Pipeline::advance() {
  shared_->memory.edge().advance();
  while (!parts_.empty()) {
    const Part part = parts_.front();
    const uint64_t loaded = moments().value(part.loaded);
    if (!Moments::is_known(loaded)) return;
    PacketTimes& times = *part.times;
    times.ran = run_vector(*part.timing, times.issued, loaded, times.vector_waits);
    moments().settle(part.ran, times.ran);
    parts_.pop_front();
    shared_->memory.edge().advance();  // for what it stores
  }
}

std::optional<PacketTimes> Pipeline::take_retired() {
  if (flights_.empty()) return {};
  PacketTimes times = flights_.front();
  times.retired = moments().value(times.retired);
  if (!Moments::is_known(times.ran) || !Moments::is_known(times.retired)) return {};
  flights_.pop_front();
  retire(times);
  moments().forget(flights_.empty() ? next_ : flights_.front().issued);
  return times;
}

}  // namespace covenant::sim::vliw
