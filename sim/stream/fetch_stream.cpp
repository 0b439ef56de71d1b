#include "sim/stream/fetch_stream.h"

#include <algorithm>

#include "sim/stream/answer_queue.h"

namespace covenant::sim {

FetchStream::FetchStream(uint64_t latency, uint64_t outstanding)
    : latency_(latency), places_(AnswerQueue::places(latency)), issue_(places_), arrive_(places_) {
  if (outstanding > 0) master_.emplace(outstanding);
}

void FetchStream::begin(uint64_t cycle) {
  first_ = issued_;
  has_come_ = false;
  cycle_ = cycle;
  arrived_.clear();
}

std::optional<uint64_t> FetchStream::next() const {
  if (issued_ - answered_ == places_) return std::nullopt;
  // Its place is that of the beat `places_` before.
  const uint64_t placed = issued_ < places_ ? cycle_ : std::max(cycle_, arrive_[issued_ % places_] + 1);
  const std::optional<uint64_t> cycle = master_ ? master_->room_from(placed) : placed;
  if (has_come() && (arrived_.empty() || cycle > arrived_.back())) return std::nullopt;
  return cycle;
}

void FetchStream::requested() {
  const uint64_t cycle = next().value();
  issue_[issued_ % places_] = cycle;
  ++issued_;
  cycle_ = cycle + 1;
  master_ ? master_->take(cycle) : unissued_.push_back(cycle);
}

std::optional<uint64_t> FetchStream::next_issue() const {
  if (master_) return master_->next();
  return unissued_.empty() ? std::nullopt : std::optional(unissued_.front());
}

void FetchStream::issued() { master_ ? master_->issued() : unissued_.pop_front(); }

uint64_t FetchStream::answered(uint64_t cycle, bool is_last) {
  const uint64_t place = answered_ % places_;
  const bool is_first = answered_ == 0;
  const uint64_t due = std::max(is_first ? 0 : last_ + 1, issue_[place] + latency_);
  last_ = std::max(due, master_ ? master_->answered(cycle) : cycle);
  if (master_) master_->ended(last_);
  arrive_[place] = last_;
  if (is_wanted()) {
    arrived_.push_back(last_);
    waited_ += last_ - due;
    has_come_ = is_last;
  }
  ++answered_;
  return last_;
}

uint64_t FetchStream::arrived_by(uint64_t cycle) const {
  uint64_t arrived = answered_;
  while (arrived > 0 && answered_ - arrived < places_ && arrive_[(arrived - 1) % places_] > cycle) --arrived;
  return arrived;
}

}  // namespace covenant::sim
