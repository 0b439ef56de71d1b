#include "sim/stream/axi_master.h"

#include <algorithm>

namespace covenant::sim {

namespace {

// Bursts and beats in a queue from which the machine is told to wait; the queue has room for those on their way.
constexpr uint64_t kBursts = 6, kBeats = 28;

}  // namespace

AxiReadMaster::AxiReadMaster(uint64_t outstanding) : waiting_(kBursts), owed_(outstanding) {}

void AxiReadMaster::take(uint64_t cycle) {
  waiting_.enter(cycle);
  taken_.push_back(cycle);
  advance();
}

void AxiReadMaster::advance() {
  while (!taken_.empty()) {
    const auto cycle = owed_.room_from(std::max(taken_.front(), last_) + 1);
    if (!cycle) return;
    taken_.pop_front();
    waiting_.leave(*cycle);
    owed_.enter(*cycle);
    on_bus_.push_back(*cycle);
    last_ = *cycle;
  }
}

std::optional<uint64_t> AxiReadMaster::next() const {
  return issued_ < on_bus_.size() ? std::optional(on_bus_[issued_]) : std::nullopt;
}

uint64_t AxiReadMaster::answered(uint64_t cycle) {
  const uint64_t seen = std::max(cycle, on_bus_.front() + 1);
  on_bus_.pop_front();
  --issued_;
  ++unended_;
  return seen;
}

std::optional<uint64_t> AxiReadMaster::fault() const {
  if (!refused_ || unended_ > 1) return std::nullopt;
  return std::max(*refused_, end_ + 1);
}

void AxiReadMaster::ended(uint64_t cycle) {
  --unended_;
  end_ = cycle;
  owed_.leave(cycle);
  advance();
}

AxiWriteMaster::AxiWriteMaster(uint64_t outstanding) : waiting_(kBursts), beats_(kBeats), owed_(outstanding) {}

/// Its queues show a state that is a cycle old when a beat may move.
std::optional<uint64_t> AxiWriteMaster::ready_from(uint64_t cycle) const {
  uint64_t shown = cycle - 1;
  while (true) {
    const auto bursts = waiting_.room_from(shown);
    const auto beats = bursts ? beats_.room_from(*bursts) : std::nullopt;
    if (!beats) return std::nullopt;
    if (*beats == shown) return shown + 1;
    shown = *beats;
  }
}

/// A burst comes one cycle after its first beat has moved, a beat two cycles after it has.
void AxiWriteMaster::move(uint64_t cycle, bool is_first, bool is_last) {
  if (is_first) waiting_.enter(cycle + 1);
  beats_.enter(cycle + 2);
  ++moved_;
  if (!is_last) return;
  whole_.push_back({cycle + 3, moved_});
  moved_ = 0;
  advance();
}

void AxiWriteMaster::advance() {
  while (!whole_.empty()) {
    const Burst burst = whole_.front();
    const auto cycle = owed_.room_from(std::max(burst.cycle, last_ + 1));
    if (!cycle) return;
    whole_.pop_front();
    waiting_.leave(*cycle);
    owed_.enter(*cycle);
    last_ = *cycle;
    const uint64_t first = std::max(last_, last_beat_) + 1;
    for (uint64_t k = 0; k < burst.beats; ++k) beats_.leave(first + k);
    last_beat_ = first + burst.beats - 1;
    ended_.push_back(last_beat_);
  }
}

std::optional<uint64_t> AxiWriteMaster::next() const {
  return issued_ < ended_.size() ? std::optional(ended_[issued_]) : std::nullopt;
}

uint64_t AxiWriteMaster::answered(uint64_t cycle) {
  answer_ = std::max({cycle, ended_.front() + 1, answer_ + 1});
  ended_.pop_front();
  --issued_;
  owed_.leave(answer_);
  advance();
  return answer_;
}

}  // namespace covenant::sim
