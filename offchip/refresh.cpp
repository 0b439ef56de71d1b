// Refresh of a channel: all banks are closed first, then refreshed together.
#include <algorithm>

#include "offchip/channel.h"

namespace covenant::offchip {

/// The first clock on the bus of the next command that a refresh takes.
uint64_t Channel::refresh_start() {
  bool is_open = false;
  uint64_t precharge = all_.precharge;
  uint64_t closed = 0;
  for (const Bank& bank : banks_) {
    if (bank.is_open()) precharge = std::max(precharge, bank.earliest.precharge);
    is_open = is_open || bank.is_open();
    closed = std::max(closed, bank.earliest.activate);
  }
  const uint64_t start =
      is_open ? start_of(CommandKind::kPrechargeAll, precharge) : start_of(CommandKind::kRefresh, closed);
  return std::max(start, refresh_due_);
}

/// Gives that command, from clock `start` on.
void Channel::refresh(uint64_t start) {
  const Timing& time = parameters_.timing;
  const bool is_open = std::any_of(banks_.begin(), banks_.end(), [](const Bank& bank) { return bank.is_open(); });
  const CommandKind kind = is_open ? CommandKind::kPrechargeAll : CommandKind::kRefresh;
  const uint64_t at = start + clocks_of(kind) - 1;
  bus_of(kind) = at + 1;
  note(kind, 0, nullptr, at);
  if (is_open) {
    for (Bank& bank : banks_) {
      bank.earliest.activate = std::max(bank.earliest.activate, at + time.rp_all);
      bank.precharge(accesses_);
    }
    return;
  }
  all_.activate = std::max(all_.activate, at + time.rfc);
  refresh_due_ += time.refi;
  ++statistics_.refreshes;
}

/// The refreshes that fell due while nothing waited, as far as they begin before `clock`.
void Channel::catch_up(uint64_t clock) {
  for (uint64_t start = refresh_start(); start < clock; start = refresh_start()) refresh(start);
}

}  // namespace covenant::offchip
