#include "sim/vliw/moments.h"

#include "acg/base/check.h"

namespace covenant::sim::vliw {

uint64_t Moments::add(const Entry& entry) {
  entries_.push_back(entry);
  return kUnknown + first_ + entries_.size() - 1;
}

uint64_t Moments::open() { return add({kOpen, 0, 0}); }

void Moments::settle(uint64_t moment, uint64_t cycle) {
  Entry& entry = entry_of(moment);
  check(entry.left == kOpen, "a moment is told once");
  entry.left = cycle;
}

uint64_t Moments::look_up(uint64_t moment) {
  if (moment - kUnknown < first_) return 0;  // so long ago that it is before everything that is still asked for
  Entry& entry = entry_of(moment);
  if (entry.left == kOpen) return moment;
  entry.left = value(entry.left);
  entry.right = value(entry.right);
  if (!is_known(entry.left) || !is_known(entry.right)) return moment;
  return std::max(entry.left, entry.right) + entry.cycles;
}

uint64_t Moments::later_unknown(uint64_t left, uint64_t right) {
  if (left == right) return left;
  if (is_known(left)) std::swap(left, right);
  if (is_known(left)) return std::max(left, right);
  // Many that follow one another wait for the same: one entry behind it is enough.
  const Entry& entry = entry_of(left);
  if (is_known(right) && entry.left != kOpen && entry.cycles == 0 && is_known(entry.right)) {
    return right <= entry.right ? left : add({entry.left, right, 0});
  }
  return add({left, right, 0});
}

uint64_t Moments::after_unknown(uint64_t moment, uint64_t cycles) {
  if (is_known(moment)) return moment + cycles;
  return cycles == 0 ? moment : add({moment, 0, cycles});
}

void Moments::forget(uint64_t cycle) {
  while (!entries_.empty()) {
    const uint64_t cycle_of_first = look_up(kUnknown + first_);
    if (!is_known(cycle_of_first) || cycle_of_first > cycle) return;
    entries_.pop_front();
    ++first_;
  }
}

}  // namespace covenant::sim::vliw
