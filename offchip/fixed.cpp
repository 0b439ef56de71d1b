#include "offchip/fixed.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>

#include "acg/base/check.h"
#include "acg/base/rounding.h"
#include "offchip/bookkeeping.h"

namespace covenant::offchip {

FixedLatency::FixedLatency(Clock clock, std::vector<FixedPort> ports)
    : clock_(clock), ports_(std::move(ports)), waiting_(ports_.size()) {
  for (const FixedPort& port : ports_) check(port.beat_bytes > 0, "FixedLatency: a beat has bytes");
  statistics_.ports.resize(ports_.size());
}

void FixedLatency::request(const Burst& burst) {
  check(burst.port < ports_.size() && burst.bytes > 0, "FixedLatency: a burst of a port that is there");
  const FixedPort& port = ports_[burst.port];
  const uint64_t beats = ceil_divide(burst.bytes, port.beat_bytes);
  const uint64_t cycles = port.latency_cycles + (burst.writes ? beats - 1 : 0);
  std::deque<Waiting>& waiting = waiting_[burst.port];
  const uint64_t before = waiting.empty() ? 0 : waiting.back().answer;
  waiting.push_back({std::max(before, burst.time + clock_.time_of(cycles)), burst.bytes});
  note_request(statistics_, burst);
  (burst.writes ? statistics_.writes : statistics_.reads) += beats;
  (burst.writes ? statistics_.bytes_written : statistics_.bytes_read) += burst.bytes;
  statistics_.busy += clock_.time_of(beats);
}

void FixedLatency::advance(uint64_t time, std::vector<Answer>& answers) {
  const auto fresh = static_cast<std::ptrdiff_t>(answers.size());
  for (uint32_t port = 0; port < waiting_.size(); ++port) {
    std::deque<Waiting>& waiting = waiting_[port];
    while (!waiting.empty() && waiting.front().answer <= time) {
      note_answer(statistics_, port, waiting.front().answer, waiting.front().bytes);
      answers.push_back({port, waiting.front().answer});
      waiting.pop_front();
    }
  }
  std::stable_sort(answers.begin() + fresh, answers.end(), comes_before);
}

uint64_t FixedLatency::next() const {
  uint64_t next = std::numeric_limits<uint64_t>::max();
  for (const std::deque<Waiting>& waiting : waiting_) {
    if (!waiting.empty()) next = std::min(next, waiting.front().answer);
  }
  return next;
}

}  // namespace covenant::offchip
