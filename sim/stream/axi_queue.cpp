#include "sim/stream/axi_queue.h"

#include <algorithm>

#include "acg/base/check.h"

namespace covenant::sim {

namespace {

constexpr uint64_t kLookBack = 2;  // cycles before an entry that are still asked for

uint64_t before(const std::deque<uint64_t>& cycles, uint64_t cycle) {
  return static_cast<uint64_t>(std::lower_bound(cycles.begin(), cycles.end(), cycle) - cycles.begin());
}

}  // namespace

void AxiQueue::enter(uint64_t cycle) {
  check(entered_.empty() || entered_.back() < cycle, "two entries in one cycle");
  while (!left_.empty() && left_.front() + kLookBack < cycle) {
    entered_.pop_front();
    left_.pop_front();
  }
  entered_.push_back(cycle);
}

void AxiQueue::leave(uint64_t cycle) {
  check(left_.size() < entered_.size() && entered_[left_.size()] < cycle, "an entry leaves that has not come");
  left_.push_back(cycle);
}

std::optional<uint64_t> AxiQueue::room_from(uint64_t cycle) const {
  while (true) {
    const uint64_t gone = before(left_, cycle);
    if (before(entered_, cycle) - gone < places_) return cycle;
    if (gone == left_.size()) return std::nullopt;
    cycle = left_[gone] + 1;
  }
}

}  // namespace covenant::sim
