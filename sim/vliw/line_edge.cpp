#include "sim/vliw/line_edge.h"

#include <algorithm>
#include <utility>

#include "acg/base/check.h"

namespace covenant::sim::vliw {

void LineEdge::ask_with(std::function<void(const Request&)> ask, Moments& moments) {
  ask_ = std::move(ask);
  moments_ = &moments;
}

uint64_t LineEdge::take(uint64_t now, uint64_t beats) {
  const uint64_t begin = std::max(now, free_);
  free_ = begin + beats;
  return begin;
}

uint64_t LineEdge::read(uint64_t address, uint32_t bytes, uint64_t now, bool is_wanted) {
  bytes_read_ += bytes;
  const uint64_t beats = beats_of(bytes);
  beats_ += beats;
  if (!asks()) return take(now, beats) + latency_ + beats;
  const uint64_t come = moments_->open();
  waiting_.push_back({{0, address, bytes, false, is_wanted}, now, come, ++reads_});
  prefetched_.erase(address);
  if (!is_wanted) prefetched_[address] = {reads_, false};
  advance();
  return come;
}

void LineEdge::want_prefetched(uint64_t address) {
  const auto found = prefetched_.find(address);
  if (found == prefetched_.end()) return;
  const Prefetched line = found->second;
  prefetched_.erase(found);
  if (line.is_refused) return refuse_(address);
  for (std::deque<Waiting>* some : {&waiting_, &asked_}) {
    for (Waiting& one : *some) one.request.is_wanted |= one.number == line.number;
  }
}

void LineEdge::write(uint64_t address, uint32_t bytes, uint64_t now) {
  bytes_written_ += bytes;
  beats_ += beats_of(bytes);
  if (!asks()) {
    take(now, beats_of(bytes));
    return;
  }
  waiting_.push_back({{0, address, bytes, true, true}, now, 0, 0});
  advance();
}

void LineEdge::advance() {
  while (!waiting_.empty()) {
    const uint64_t now = moments_->value(waiting_.front().now);
    if (!Moments::is_known(now)) return;
    Waiting& next = asked_.emplace_back(waiting_.front());
    waiting_.pop_front();
    next.request.begin = take(now, beats_of(next.request.bytes));
    ask_(next.request);
  }
}

void LineEdge::answered(uint64_t cycle, bool is_refused) {
  check(!asked_.empty(), "an answer to a line that was not asked for");
  const Waiting line = asked_.front();
  asked_.pop_front();
  if (line.request.is_store) return;
  if (!line.request.is_wanted) note_answer(line, is_refused);
  const uint64_t due = std::max(line.request.begin + latency_, come_);
  const uint64_t there = std::max(due, cycle);
  stalled_ += there - due;
  come_ = there + beats_of(line.request.bytes);
  moments_->settle(line.come, come_);
}

/// A line that has come needs no more attention. One that was requested again since then has a newer request.
void LineEdge::note_answer(const Waiting& line, bool is_refused) {
  const auto found = prefetched_.find(line.request.address);
  if (found == prefetched_.end() || found->second.number != line.number) return;
  if (is_refused) {
    found->second.is_refused = true;
  } else {
    prefetched_.erase(found);
  }
}

}  // namespace covenant::sim::vliw
