#include "offchip/channel.h"

#include <algorithm>
#include <utility>

#include "acg/base/check.h"

namespace covenant::offchip {
namespace {

void raise(uint64_t& earliest, uint64_t clock) { earliest = std::max(earliest, clock); }

}  // namespace

Channel::Channel(const Parameters& parameters, uint32_t number, const CommandHook& hook, Statistics& statistics)
    : parameters_(parameters),
      number_(number),
      hook_(hook),
      statistics_(statistics),
      refresh_due_(parameters.timing.refi) {
  const Organization& organization = parameters.organization;
  for (uint64_t bank = 0; bank < organization.banks_of_channel(); ++bank)
    banks_.emplace_back(parameters.controller.policy, parameters.controller.cap,
                        static_cast<uint32_t>(bank / organization.banks));
  groups_.resize(organization.groups);
}

uint32_t Channel::add(Access access, uint64_t clock) {
  check(has_room(), "Channel::add: the queue is full");
  if (waiting_ == 0) catch_up(clock);
  uint32_t id = 0;
  if (free_.empty()) {
    id = static_cast<uint32_t>(accesses_.size());
    accesses_.emplace_back();
  } else {
    id = free_.back();
    free_.pop_back();
  }
  access.age = next_age_++;
  accesses_[id] = std::move(access);
  ++waiting_;
  const uint32_t bank = accesses_[id].location.bank;
  if (!banks_[bank].waits()) active_.push_back(bank);
  banks_[bank].enqueue(id, accesses_);
  wake_ = std::min(wake_, clock);
  return id;
}

uint64_t Channel::clocks_of(CommandKind kind) const {
  const CommandClocks& commands = parameters_.commands;
  switch (kind) {
    case CommandKind::kActivate:
      return commands.activate;
    case CommandKind::kPrecharge:
    case CommandKind::kPrechargeAll:
      return commands.precharge;
    case CommandKind::kRead:
    case CommandKind::kWrite:
      return commands.column;
    case CommandKind::kRefresh:
      return commands.refresh;
  }
  fail("Channel::clocks_of: unknown command");
}

/// The first clock on the bus of a command whose last one is not before `earliest`.
uint64_t Channel::start_of(CommandKind kind, uint64_t earliest) {
  const uint64_t before = clocks_of(kind) - 1;
  return std::max(earliest > before ? earliest - before : 0, bus_of(kind));
}

uint64_t Channel::earliest_of(const Bank& bank, CommandKind kind) const {
  const Earliest& group = groups_[bank.group()];
  switch (kind) {
    case CommandKind::kActivate:
      return std::max({bank.earliest.activate, group.activate, all_.activate, activations_[next_activation_]});
    case CommandKind::kRead:
      return std::max({bank.earliest.read, group.read, all_.read});
    case CommandKind::kWrite:
      return std::max({bank.earliest.write, group.write, all_.write});
    default:
      return std::max(bank.earliest.precharge, all_.precharge);
  }
}

std::optional<Channel::Served> Channel::step(uint64_t clock) {
  if (refresh_due_ > clock) return schedule(clock);
  const uint64_t start = refresh_start();
  if (start <= clock) refresh(clock);
  wake_ = start <= clock ? clock + 1 : start;
  return std::nullopt;
}

void Channel::find_oldest() {
  oldest_age_ = kNever;
  for (const uint32_t bank : active_) {
    const uint64_t age = accesses_[banks_[bank].oldest()].age;
    if (age >= oldest_age_) continue;
    oldest_age_ = age;
    oldest_bank_ = bank;
  }
}

/// True if the bank's next command need not wait for the channel's oldest access.
bool Channel::may_go(const Bank& bank, uint64_t clock) const {
  const Bank& first = banks_[oldest_bank_];
  if (&bank == &first) return true;
  if (parameters_.controller.policy == Policy::kFcfs) return false;
  if (passed_age_ != oldest_age_ || passed_ < parameters_.controller.cap) return true;
  const CommandKind kind = first.candidate().kind;
  const bool is_open = is_column(kind) && accesses_[first.candidate().access].age == oldest_age_;
  const uint64_t own = kind == CommandKind::kWrite ? first.earliest.write : first.earliest.read;
  return !is_open || own > clock || !is_column(bank.candidate().kind);
}

/// True if a row that is opened from clock `start` on would be closed by the refresh before its access can begin.
bool Channel::opens_in_vain(const Bank& bank, uint64_t start) const {
  const bool writes = accesses_[bank.candidate().access].writes;
  const uint64_t rcd = writes ? parameters_.timing.rcd_write : parameters_.timing.rcd_read;
  return start + clocks_of(CommandKind::kActivate) + rcd >= refresh_due_ + clocks_of(CommandKind::kRead);
}

/// The best commands that may begin, and when the next ones may.
Channel::Options Channel::options(uint64_t clock) {
  Options options;
  options.next = refresh_due_;
  for (const uint32_t index : active_) {
    const Bank& bank = banks_[index];
    if (!may_go(bank, clock)) continue;
    const CommandKind kind = bank.candidate().kind;
    const uint64_t start = start_of(kind, earliest_of(bank, kind));
    if (kind == CommandKind::kActivate && opens_in_vain(bank, std::max(start, clock))) continue;
    const uint64_t age = accesses_[bank.candidate().access].age;
    Choice& best = is_column(kind) ? options.column : options.row;
    if (start <= clock && age < best.age) best = {index, age};
    if (start > clock) options.next = std::min(options.next, start);
    if (start > clock && kind == CommandKind::kActivate) options.activation = std::min(options.activation, start);
  }
  return options;
}

/// Rows go before data: what opens a row decides how much data there will be.
std::optional<Channel::Served> Channel::schedule(uint64_t clock) {
  find_oldest();
  Options found = options(clock);
  const bool is_shared = !parameters_.commands.separate_columns;
  if (found.row.age != kNever) give(found.row.bank, clock);
  // A column command of several clocks would hold up the activation that may begin meanwhile.
  const bool yields = is_shared && found.activation < clock + clocks_of(CommandKind::kRead);
  std::optional<Served> served;
  if (found.column.age != kNever && !yields && bus_of(CommandKind::kRead) <= clock)
    served = give(found.column.bank, clock);
  const bool is_given = served || found.row.age != kNever;
  wake_ = waiting_ == 0 ? kNever : is_given ? clock + 1 : found.next;
  return served;
}

std::optional<Channel::Served> Channel::give(uint32_t bank, uint64_t clock) {
  const CommandKind kind = banks_[bank].candidate().kind;
  const uint64_t at = clock + clocks_of(kind) - 1;
  bus_of(kind) = at + 1;
  if (is_column(kind)) return give_column(bank, at);
  if (kind == CommandKind::kActivate) {
    give_activate(bank, at);
  } else {
    give_precharge(bank, at);
  }
  return std::nullopt;
}

Channel::Served Channel::give_column(uint32_t index, uint64_t at) {
  const Timing& time = parameters_.timing;
  Bank& bank = banks_[index];
  Earliest& group = groups_[bank.group()];
  const uint32_t id = bank.candidate().access;
  const Access& access = accesses_[id];
  note(bank.candidate().kind, index, &access, at);
  const uint64_t end = at + (access.writes ? time.cwl : time.cl) + time.burst;
  if (access.writes) {
    raise(bank.earliest.precharge, end + time.wr);
    raise(group.write, at + time.ccd_long_write);
    raise(all_.write, at + time.ccd_short);
    raise(group.read, end + time.wtr_long);
    raise(all_.read, end + time.wtr_short);
  } else {
    raise(bank.earliest.precharge, at + time.rtp);
    raise(group.read, at + time.ccd_long);
    raise(all_.read, at + time.ccd_short);
    raise(all_.write, at + time.rtw);
  }
  count(access);
  if (access.age != oldest_age_) {
    passed_ = passed_age_ == oldest_age_ ? passed_ + 1 : 1;
    passed_age_ = oldest_age_;
  }
  bank.serve(accesses_);
  if (!bank.waits()) active_.erase(std::find(active_.begin(), active_.end(), index));
  --waiting_;
  return {id, end};
}

void Channel::give_activate(uint32_t index, uint64_t at) {
  const Timing& time = parameters_.timing;
  Bank& bank = banks_[index];
  Access& access = accesses_[bank.candidate().access];
  access.found_closed = true;
  ++statistics_.activations;
  note(CommandKind::kActivate, index, &access, at);
  bank.earliest.activate = at + time.rc;
  raise(bank.earliest.precharge, at + time.ras);
  bank.earliest.read = at + time.rcd_read;
  bank.earliest.write = at + time.rcd_write;
  raise(groups_[bank.group()].activate, at + time.rrd_long);
  raise(all_.activate, at + time.rrd_short);
  activations_[next_activation_] = at + time.faw;
  next_activation_ = (next_activation_ + 1) % static_cast<uint32_t>(activations_.size());
  bank.activate(access.location.row, accesses_);
}

void Channel::give_precharge(uint32_t index, uint64_t at) {
  Bank& bank = banks_[index];
  Access& access = accesses_[bank.candidate().access];
  access.found_other = true;
  note(CommandKind::kPrecharge, index, nullptr, at);
  raise(bank.earliest.activate, at + parameters_.timing.rp);
  raise(all_.precharge, at + parameters_.timing.ppd);
  bank.precharge(accesses_);
}

void Channel::count(const Access& access) {
  const uint64_t bytes = parameters_.organization.access_bytes;
  ++(access.writes ? statistics_.writes : statistics_.reads);
  (access.writes ? statistics_.bytes_written : statistics_.bytes_read) += bytes;
  ++(access.found_other    ? statistics_.row_conflicts
     : access.found_closed ? statistics_.row_misses
                           : statistics_.row_hits);
  statistics_.busy += parameters_.timing.burst * parameters_.clock_ps;
}

void Channel::note(CommandKind kind, uint32_t bank, const Access* access, uint64_t at) {
  if (!hook_) return;
  Command command{kind, number_, bank, 0, 0, 0, 0, at};
  if (access != nullptr) {
    command.row = access->location.row;
    command.column = access->location.column;
    command.port = access->port;
    command.age = access->age;
  }
  hook_(command);
}

}  // namespace covenant::offchip
