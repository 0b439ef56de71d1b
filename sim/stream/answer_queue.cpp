#include "sim/stream/answer_queue.h"

#include <algorithm>
#include <bit>

#include "acg/base/check.h"

namespace covenant::sim {

namespace {

std::optional<uint64_t> first_taken(std::deque<uint64_t>& cycles) {
  if (cycles.empty()) return std::nullopt;
  const uint64_t cycle = cycles.front();
  cycles.pop_front();
  return cycle;
}

}  // namespace

uint64_t AnswerQueue::places(uint64_t latency) { return std::bit_ceil(std::max<uint64_t>(64, 2 * (latency + 2))); }

AnswerQueue::AnswerQueue(uint64_t latency) : least_(latency + 2), visible_(places(latency)) {}

void AnswerQueue::clear() {
  check(empty(), "a block ends with entries under way");
  std::fill(visible_.begin(), visible_.end(), 0);
  pushed_ = settled_ = last_ = 0;
}

AnswerQueue::Room AnswerQueue::room(uint64_t cycle, uint64_t count) const {
  const uint64_t places = visible_.size();
  const uint64_t known = std::min(count, settled_ + places - pushed_);
  if (known == 0) return {cycle, 0};
  // The place of an entry is that of the one `places` before it.
  const auto place_from = [&](uint64_t k) { return visible_[(pushed_ + k) & (places - 1)]; };
  const uint64_t first = std::max(cycle, place_from(0));
  uint64_t fit = 1;
  while (fit < known && place_from(fit) <= first + fit) ++fit;
  return {first, fit};
}

void AnswerQueue::push(const Entries& entries) {
  check(pushed_ + entries.count <= settled_ + visible_.size(), "more entries than places");
  pushed_ += entries.count;
  Entries rest = entries;
  if (entries.waits == Waits::kLast && entries.count > 1) {
    // Those before the last one leave their places without an answer.
    open_.push_back({entries.issue, entries.count - 1});
    rest.issue += entries.count - 1;
    rest.count = 1;
  }
  open_.push_back(rest);
  settle();
}

void AnswerQueue::answered(uint64_t cycle) {
  answers_.push_back(cycle);
  settle();
}

void AnswerQueue::settle() {
  while (!open_.empty()) {
    const Entries& entries = open_.front();
    if (entries.waits != Waits::kNobody && answers_.empty()) return;
    // One a cycle from the first on: each issues one cycle after the one before.
    uint64_t first = std::max(last_ + 1, entries.issue + least_);
    if (entries.waits != Waits::kNobody) {
      const uint64_t due = first;
      first = std::max(due, answers_.front() + 1);
      waited_ += first - due;
      answers_.pop_front();
    }
    last_ = first + entries.count - 1;
    for (uint64_t k = 0; k + 1 < entries.count; ++k) visible_[(settled_ + k) & (visible_.size() - 1)] = first + k;
    settled_ += entries.count;
    visible_[(settled_ - 1) & (visible_.size() - 1)] = last_;
    if (entries.is_noted) effects_.push_back(last_);
    if (entries.ends_burst) ends_.push_back(last_);
    open_.pop_front();
  }
}

std::optional<uint64_t> AnswerQueue::take_effect() { return first_taken(effects_); }

std::optional<uint64_t> AnswerQueue::take_end() { return first_taken(ends_); }

}  // namespace covenant::sim
