/// Checks the commands of one channel by the rules of docs/reference/memory-models.md, pair by pair, from the
/// parameters alone, without using the controller.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "offchip/command.h"
#include "offchip/parameters.h"

namespace covenant::offchip::test {

class Checker {
 public:
  Checker(const Parameters& parameters, std::vector<Command> commands)
      : set_(parameters), time_(parameters.timing), commands_(std::move(commands)) {}

  /// The violations found.
  std::vector<std::string> problems() {
    for (size_t i = 0; i < commands_.size(); ++i) {
      check_rows(i);
      check_order(i);
      // No rule reaches further back than a refresh and a full cycle of a bank.
      for (size_t j = i; j-- > 0 && commands_[j].clock + reach() > commands_[i].clock;) check_pair(j, i);
    }
    check_windows();
    check_refreshes();
    return problems_;
  }

 private:
  static bool is_read(const Command& c) { return c.kind == CommandKind::kRead; }
  static bool is_write(const Command& c) { return c.kind == CommandKind::kWrite; }
  static bool is_column(const Command& c) { return is_read(c) || is_write(c); }
  static bool is_activate(const Command& c) { return c.kind == CommandKind::kActivate; }
  static bool is_all(const Command& c) {
    return c.kind == CommandKind::kPrechargeAll || c.kind == CommandKind::kRefresh;
  }
  static bool closes(const Command& c) {
    return c.kind == CommandKind::kPrecharge || c.kind == CommandKind::kPrechargeAll;
  }
  static bool is_refresh(const Command& c) { return c.kind == CommandKind::kRefresh; }
  uint64_t group(const Command& c) const { return c.bank / set_.organization.banks; }
  uint64_t reach() const {
    return time_.rfc + time_.rc + time_.cwl + time_.cl + time_.wr + time_.burst + time_.wtr_long + time_.faw;
  }

  uint64_t length(const Command& c) const {
    if (is_activate(c)) return set_.commands.activate;
    if (is_column(c)) return set_.commands.column;
    return is_refresh(c) ? set_.commands.refresh : set_.commands.precharge;
  }

  /// The least clocks from `a` to a later `b`.
  uint64_t least(const Command& a, const Command& b) const {
    const bool same_bank = a.bank == b.bank || is_all(a) || is_all(b);
    const bool same_group = group(a) == group(b);
    const bool same_bus = !set_.commands.separate_columns || is_column(a) == is_column(b);
    uint64_t least = same_bus ? length(b) : 0;
    const auto apply = [&](bool applies, uint64_t clocks) { least = applies ? std::max(least, clocks) : least; };
    const uint64_t written = time_.cwl + time_.burst;
    apply(is_activate(a) && is_activate(b), same_group ? time_.rrd_long : time_.rrd_short);
    apply(is_activate(a) && is_activate(b) && same_bank, time_.rc);
    apply(is_activate(a) && is_refresh(b), time_.rc);
    apply(is_activate(a) && is_read(b) && same_bank, time_.rcd_read);
    apply(is_activate(a) && is_write(b) && same_bank, time_.rcd_write);
    apply(is_activate(a) && closes(b) && same_bank, time_.ras);
    apply(is_read(a) && is_read(b), same_group ? time_.ccd_long : time_.ccd_short);
    apply(is_write(a) && is_write(b), same_group ? time_.ccd_long_write : time_.ccd_short);
    apply(is_write(a) && is_read(b), written + (same_group ? time_.wtr_long : time_.wtr_short));
    apply(is_read(a) && is_write(b), time_.rtw);
    apply(is_read(a) && closes(b) && same_bank, time_.rtp);
    apply(is_write(a) && closes(b) && same_bank, written + time_.wr);
    apply(closes(a) && closes(b), time_.ppd);
    apply(closes(a) && (is_activate(b) || is_refresh(b)) && same_bank, is_all(a) ? time_.rp_all : time_.rp);
    apply(is_refresh(a) && !is_column(b), time_.rfc);
    return least;
  }

  void check_pair(size_t i, size_t j) {
    const Command& a = commands_[i];
    const Command& b = commands_[j];
    const auto [first, second] = a.clock <= b.clock ? std::pair(&a, &b) : std::pair(&b, &a);
    if (second->clock - first->clock < least(*first, *second)) fail("too early", j, "after " + std::to_string(i));
    if (!is_column(a) || !is_column(b)) return;
    const uint64_t start_a = a.clock + (is_read(a) ? time_.cl : time_.cwl);
    const uint64_t start_b = b.clock + (is_read(b) ? time_.cl : time_.cwl);
    if (std::max(start_a, start_b) < std::min(start_a, start_b) + time_.burst) fail("data meets data", j);
  }

  void check_rows(size_t i) {
    const Command& command = commands_[i];
    if (is_activate(command) && !open_.emplace(command.bank, command.row).second) fail("opens an open bank", i);
    if (command.kind == CommandKind::kPrecharge) open_.erase(command.bank);
    if (command.kind == CommandKind::kPrechargeAll) open_.clear();
    if (is_refresh(command) && !open_.empty()) fail("refreshes open banks", i);
    if (!is_column(command)) return;
    const auto row = open_.find(command.bank);
    if (row == open_.end() || row->second != command.row) fail("another row is open", i);
  }

  /// Within one row the older access comes first; with FCFS this holds for all.
  void check_order(size_t i) {
    const Command& command = commands_[i];
    if (!is_column(command)) return;
    const bool fcfs = set_.controller.policy == Policy::kFcfs;
    const auto key =
        fcfs ? std::pair<uint64_t, uint64_t>(0, 0) : std::pair<uint64_t, uint64_t>(command.bank, command.row);
    const auto [last, is_first] = ages_.emplace(key, command.age);
    if (!is_first && last->second >= command.age) fail("out of order", i);
    last->second = command.age;
  }

  void check_windows() {
    std::vector<uint64_t> clocks;
    for (const Command& command : commands_) {
      if (is_activate(command)) clocks.push_back(command.clock);
    }
    for (size_t i = 4; i < clocks.size(); ++i) {
      if (clocks[i] - clocks[i - 4] < time_.faw) fail("five activations in tFAW", i);
    }
  }

  /// The k-th refresh is not before k * tREFI, and no other command of an access comes between.
  void check_refreshes() {
    uint64_t due = time_.refi;
    for (size_t i = 0; i < commands_.size(); ++i) {
      const Command& command = commands_[i];
      const uint64_t start = command.clock + 1 - length(command);
      if (is_refresh(command)) {
        if (start < due) fail("refreshed too early", i);
        due += time_.refi;
      } else if (command.kind != CommandKind::kPrechargeAll && start >= due) {
        fail("a refresh is due", i);
      }
    }
  }

  void fail(const std::string& what, size_t i, const std::string& more = {}) {
    if (problems_.size() < 10)
      problems_.push_back("command " + std::to_string(i) + " at " + std::to_string(commands_[i].clock) + ": " + what +
                          " " + more);
  }

  const Parameters& set_;
  const Timing& time_;
  std::vector<Command> commands_;
  std::map<uint32_t, uint64_t> open_;
  std::map<std::pair<uint64_t, uint64_t>, uint64_t> ages_;
  std::vector<std::string> problems_;
};

}  // namespace covenant::offchip::test
