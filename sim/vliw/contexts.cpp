#include "sim/vliw/contexts.h"

#include <algorithm>
#include <fmt/format.h>
#include <tuple>

#include "acg/base/check.h"
#include "sim/common/fault.h"

namespace covenant::sim::vliw {

Contexts::Contexts(const acg::Machine& machine, std::vector<Start> starts, bool counts_cycles)
    : counts_cycles_(counts_cycles) {
  const uint64_t there = attribute_of(machine, "contexts", 1);
  if (starts.size() > there) {
    raise("SIM0087", "more programs at once than the machine has contexts", fmt::format("{}", starts.size()),
          {there == 1 ? "1" : fmt::format("1..{}", there)},
          "run some of them later, or give the machine more contexts");
  }
  shared_ = counts_cycles ? shared_by(machine, starts.size()) : nullptr;
  for (Start& start : starts) {
    const auto number = static_cast<uint32_t>(members_.size());
    members_.push_back({Core(machine, std::move(start.memory), start.entry, shared_,
                             AddressMapping(number, std::move(start.common)))});
    live_.push_back(number);
  }
}

void Contexts::ask_with(std::function<void(const LineEdge::Request&)> ask) {
  check(count() == 1 && counts_cycles_, "one context with time asks memory");
  shared_->memory.ask_with(std::move(ask));
}

bool Contexts::settle() {
  bool is_settled = true;
  for (Member& member : members_) is_settled = member.core.settle() && is_settled;
  return is_settled;
}

void Contexts::name(size_t context, Failure& failure) const {
  std::string& subject = failure.diagnostic.subject;
  if (count() > 1) subject = fmt::format("context {}{}{}", context, subject.empty() ? "" : ": ", subject);
}

void Contexts::finish(size_t context) { std::erase(live_, context); }

bool Contexts::wants_attention(const Member& member, uint64_t most) const {
  return member.core.asks_for_service() || member.core.address() == member.stop || member.core.packets() >= most;
}

size_t Contexts::first_to_issue() {
  const auto order = [&](size_t context) {
    Member& member = members_[context];
    if (!member.ready) of_context(context, [&] { member.ready = member.core.earliest_issue(); });
    return std::tuple(*member.ready, member.issued, context);
  };
  size_t first = live_.front();
  for (const size_t context : live_) {
    if (order(context) < order(first)) first = context;
  }
  return first;
}

std::optional<size_t> Contexts::run(uint64_t packets, uint64_t most) {
  for (const size_t context : live_) {
    if (wants_attention(members_[context], most)) return context;
  }
  while (packets > 0 && !live_.empty()) {
    // Alone, or without timing, no context waits for another one.
    const bool is_alone = live_.size() == 1 || !counts_cycles_;
    const size_t context = is_alone ? live_.front() : first_to_issue();
    Member& member = members_[context];
    const uint64_t before = member.core.packets();
    of_context(context, [&] { member.core.run(is_alone ? std::min(packets, most - before) : 1, member.stop); });
    const uint64_t executed = member.core.packets() - before;
    packets -= executed;
    issued_ += executed;
    member.issued = issued_;
    member.ready.reset();
    if (wants_attention(member, most)) return context;
    if (member.core.is_waiting()) return {};
  }
  return {};
}

uint64_t Contexts::cycles() const {
  uint64_t cycles = 0;
  for (const Member& member : members_) {
    if (member.core.pipeline()) cycles = std::max(cycles, member.core.pipeline()->cycles());
  }
  return cycles;
}

uint64_t Contexts::packets() const {
  uint64_t packets = 0;
  for (const Member& member : members_) packets += member.core.packets();
  return packets;
}

}  // namespace covenant::sim::vliw
