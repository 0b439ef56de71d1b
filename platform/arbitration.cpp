#include "platform/arbitration.h"

#include <algorithm>
#include <utility>

namespace covenant::sc {

uint32_t Arbiter::priority_of(uint32_t initiator) const {
  return initiator < priorities_.size() ? priorities_[initiator] : initiator;
}

uint32_t Arbiter::next(const std::vector<bool>& waits) {
  const auto count = static_cast<uint32_t>(waits.size());
  const uint32_t first = last_ + 1;  // with wrapping numbers, the one before 0 is UINT32_MAX
  uint32_t best = UINT32_MAX;
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t initiator = arbitration_ == Arbitration::kRoundRobin ? (first + i) % count : i;
    if (!waits[initiator]) continue;
    if (arbitration_ == Arbitration::kRoundRobin) return last_ = initiator;
    if (best == UINT32_MAX || priority_of(initiator) < priority_of(best)) best = initiator;
  }
  return best;
}

Path::Path(const sc_core::sc_module_name& name, Arbiter arbiter, Granted granted)
    : sc_module(name), arbiter_(std::move(arbiter)), granted_(std::move(granted)) {
  SC_METHOD(step);
  sensitive << agenda_.event();
  dont_initialize();
}

void Path::step() {
  if (!agenda_.has_settled()) return;
  for (const Request& request : agenda_.take()) waiting_.at(request.initiator).push_back(request);
  if (sc_core::sc_time_stamp() >= free_at_) grant_next();
}

void Path::grant_next() {
  std::vector<bool> waits;
  for (const std::deque<Request>& requests : waiting_) waits.push_back(!requests.empty());
  if (std::find(waits.begin(), waits.end(), true) == waits.end()) return;
  std::deque<Request>& requests = waiting_[arbiter_.next(waits)];
  const Request request = requests.front();
  requests.pop_front();
  free_at_ = sc_core::sc_time_stamp() + request.holds;
  agenda_.wake_at(free_at_);
  granted_(request);
}

}  // namespace covenant::sc
