#include "offchip/bank.h"

#include <algorithm>

namespace covenant::offchip {

void Bank::enqueue(uint32_t access, const std::vector<Access>& accesses) {
  queue_.push_back(access);
  choose(accesses);
}

void Bank::activate(uint64_t row, const std::vector<Access>& accesses) {
  is_open_ = true;
  row_ = row;
  if (waits()) choose(accesses);
}

void Bank::precharge(const std::vector<Access>& accesses) {
  is_open_ = false;
  if (waits()) choose(accesses);
}

void Bank::serve(const std::vector<Access>& accesses) {
  passed_ = candidate_.access == oldest() ? 0 : passed_ + 1;
  queue_.erase(std::find(queue_.begin(), queue_.end(), candidate_.access));
  if (waits()) choose(accesses);
}

/// The oldest access whose row is open, unless the oldest of all has been passed often enough.
void Bank::choose(const std::vector<Access>& accesses) {
  const bool in_order = policy_ == Policy::kFcfs || passed_ >= cap_;
  const auto end = in_order ? queue_.begin() + 1 : queue_.end();
  const auto hit = std::find_if(queue_.begin(), end,
                                [&](uint32_t access) { return is_open_ && accesses[access].location.row == row_; });
  if (hit != end) {
    candidate_ = {accesses[*hit].writes ? CommandKind::kWrite : CommandKind::kRead, *hit};
  } else {
    candidate_ = {is_open_ ? CommandKind::kPrecharge : CommandKind::kActivate, oldest()};
  }
}

}  // namespace covenant::offchip
