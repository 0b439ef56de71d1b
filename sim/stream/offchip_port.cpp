#include "sim/stream/offchip_port.h"

#include <algorithm>
#include <cstring>

#include "acg/base/check.h"

namespace covenant::sim {

OffchipPort::OffchipPort(uint64_t latency, uint64_t beat_bytes, bool values)
    : queue_(latency), beat_bytes_(beat_bytes), values_(values) {}

void OffchipPort::begin(const TileTransfer& transfer, uint64_t beats) {
  check(left_ == 0 && beats > 0, "a second transfer of one port");
  walk_ = BurstWalk(transfer, beat_bytes_);
  near_memory_ = transfer.near_memory;
  loads_ = transfer.loads;
  left_ = beats;
  burst_ = {};
  burst_moved_ = 0;
  first_.reset();
}

void OffchipPort::grant(uint64_t cycle, uint64_t beats) {
  check(granted_ == 0 && beats <= left_, "beats are granted that were not asked for");
  next_ = cycle;
  granted_ = beats;
}

OffchipPort::Next OffchipPort::move() {
  while (granted_ > 0) {
    if (burst_moved_ == burst_.beats) next_burst();
    const uint64_t rest = burst_.beats - burst_moved_;
    const AnswerQueue::Room room = next_room();
    if (room.count == 0) return Next::kAnswer;
    const bool is_first = burst_moved_ == 0;
    const bool is_last = room.count == rest;
    left_ -= room.count;
    AnswerQueue::Entries entries{room.cycle, room.count, AnswerQueue::Waits::kNobody, left_ == 0,
                                 reads_ && burst_.is_inside && is_last};
    if (burst_.is_inside && loads_ && is_first) entries.waits = AnswerQueue::Waits::kFirst;
    if (burst_.is_inside && !loads_ && is_last) entries.waits = AnswerQueue::Waits::kLast;
    queue_.push(entries);
    if (!first_) first_ = room.cycle;
    next_ = room.cycle + room.count;
    granted_ -= room.count;
    burst_moved_ += room.count;
    if (!burst_.is_inside) continue;
    ask(room.cycle, is_first, is_last);
    if (is_first && !has_master()) return Next::kRequest;
  }
  return Next::kMoved;
}

/// Room for beats of the burst; a master must be ready for the first one of a load, and for each one of a store.
AnswerQueue::Room OffchipPort::next_room() const {
  const uint64_t count = std::min(burst_.beats - burst_moved_, granted_);
  AnswerQueue::Room room = queue_.room(next_, count);
  const bool asks = burst_.is_inside && (writes_ || (reads_ && burst_moved_ == 0));
  if (!asks || room.count == 0) return room;
  // The state that a master shows has come through a register.
  const auto shown = reads_ ? reads_->room_from(room.cycle - 1) : std::nullopt;
  const auto ready = writes_ ? writes_->ready_from(room.cycle) : shown ? std::optional(*shown + 1) : std::nullopt;
  if (!ready) return {room.cycle, 0};
  return queue_.room(*ready, writes_ ? 1 : count);
}

/// A beat of a burst has moved in `cycle`, or several from then on.
void OffchipPort::ask(uint64_t cycle, bool is_first, bool is_last) {
  if (writes_) writes_->move(cycle, is_first, is_last);
  if (reads_) note_ends();
  if (writes_ ? !is_last : !is_first) return;
  requests_.push_back({burst_.address, burst_.beats * beat_bytes_, !loads_, burst_, near_memory_});
  if (reads_) reads_->take(cycle + 1);
  request_cycle_ = cycle + 1;
}

std::optional<uint64_t> OffchipPort::next_request() const {
  if (reads_) return reads_->next();
  if (writes_) return writes_->next();
  return requests_.empty() ? std::nullopt : std::optional(request_cycle_);
}

void OffchipPort::issued() {
  requests_.pop_front();
  if (reads_) reads_->issued();
  if (writes_) writes_->issued();
}

/// The machine takes a beat in the cycle before it is visible.
void OffchipPort::note_ends() {
  while (const auto visible = queue_.take_end()) reads_->ended(*visible - 1);
}

void OffchipPort::next_burst() {
  burst_ = walk_.next();
  burst_moved_ = 0;
  if (!values_ || !loads_) return;
  carried_.push_back(burst_);
  carry_fills();
}

std::optional<uint64_t> OffchipPort::post(uint64_t cycle) {
  const AnswerQueue::Room room = queue_.room(cycle, 1);
  if (room.count == 0) return std::nullopt;
  queue_.push({room.cycle, 1, AnswerQueue::Waits::kNobody, true});
  return room.cycle;
}

void OffchipPort::answered(uint64_t cycle, std::span<const uint8_t> data) {
  if (values_ && loads_) {
    const Burst& burst = carried_.front();
    std::memcpy(near_memory_ + burst.near, data.data() + burst.far % beat_bytes_, burst.bytes);
    carried_.pop_front();
    carry_fills();
  }
  if (reads_) cycle = reads_->answered(cycle);
  if (writes_) cycle = writes_->answered(cycle) + 1;  // the master tells the machine of it
  queue_.answered(cycle);
  if (reads_) note_ends();
}

void OffchipPort::refused(uint64_t cycle) {
  if (reads_) return reads_->refused(cycle);
  fault_ = writes_.value().answered(cycle);
}

/// Bytes are written in the order of their runs.
void OffchipPort::carry_fills() {
  while (!carried_.empty() && !carried_.front().is_inside) {
    const Burst& burst = carried_.front();
    write_fill(burst.fill, burst.fill_bytes, near_memory_, burst.near, burst.bytes);
    carried_.pop_front();
  }
}

}  // namespace covenant::sim
