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
  check(granted_ == 0 && beats <= left_, "beats are granted that nobody has asked for");
  next_ = cycle;
  granted_ = beats;
}

OffchipPort::Next OffchipPort::move() {
  while (granted_ > 0) {
    if (burst_moved_ == burst_.beats) next_burst();
    const uint64_t rest = burst_.beats - burst_moved_;
    const AnswerQueue::Room room = queue_.room(next_, std::min(rest, granted_));
    if (room.count == 0) return Next::kAnswer;
    const bool is_first = burst_moved_ == 0;
    const bool is_last = room.count == rest;
    left_ -= room.count;
    AnswerQueue::Entries entries{room.cycle, room.count, AnswerQueue::Waits::kNobody, left_ == 0};
    if (burst_.is_inside && loads_ && is_first) entries.waits = AnswerQueue::Waits::kFirst;
    if (burst_.is_inside && !loads_ && is_last) entries.waits = AnswerQueue::Waits::kLast;
    queue_.push(entries);
    if (!first_) first_ = room.cycle;
    next_ = room.cycle + room.count;
    granted_ -= room.count;
    burst_moved_ += room.count;
    if (burst_.is_inside && is_first) {
      request_ = {room.cycle + 1, burst_.address, burst_.beats * beat_bytes_, !loads_, burst_};
      return Next::kRequest;
    }
  }
  return Next::kMoved;
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
  queue_.answered(cycle);
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
