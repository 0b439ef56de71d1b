#include "sim/vliw/core.h"

#include <fmt/format.h>

#include "acg/base/check.h"
#include "sim/common/fault.h"

namespace covenant::sim::vliw {

namespace {

/// Checks that the machine has the packets that the model supports.
void require_known(const acg::Machine& machine) {
  if (machine.packet.slots == 0) {
    raise("SIM0061", "a machine that issues no packets cannot run code of a vliw_core", machine.name, {},
          "run it on a machine with a packet { ... } clause, such as hvx");
  }
  if (machine.packet.slots > kMostSlots) {
    raise("SIM0061", "packets of more slots than the model of a vliw_core has", fmt::format("{}", machine.packet.slots),
          {fmt::format("1..{}", kMostSlots)}, "give the machine fewer slots");
  }
}

PacketStore store_for(const acg::Machine& machine) {
  require_known(machine);
  return PacketStore(machine);
}

}  // namespace

std::shared_ptr<SharedSide> shared_by(const acg::Machine& machine, uint64_t contexts) {
  require_known(machine);
  return std::make_shared<SharedSide>(machine, contexts);
}

Core::Core(const acg::Machine& machine, AddressSpace memory, uint32_t entry, bool counts_cycles)
    : Core(machine, std::move(memory), entry, counts_cycles ? shared_by(machine, 1) : nullptr, AddressMapping()) {}

Core::Core(const acg::Machine& machine, AddressSpace memory, uint32_t entry, std::shared_ptr<SharedSide> shared,
           AddressMapping mapping)
    : store_(store_for(machine)), address_(entry) {
  state_.memory = std::move(memory);
  if (shared) pipeline_.emplace(machine, std::move(shared), std::move(mapping));
}

std::optional<int32_t> Core::take_service() { return std::exchange(state_.service, std::nullopt); }

void Core::run(uint64_t packets, uint32_t stop) {
  const DecodedPacket* current = nullptr;
  const bool asks = pipeline_ && pipeline_->asks();
  is_waiting_ = false;
  try {
    for (uint64_t left = packets; left > 0 && !state_.service && address_ != stop; --left) {
      current = nullptr;
      DecodedPacket& packet = next_packet();
      if (asks && !may_issue(packet)) return;
      current = &packet;
      execute(packet);
      last_ = &packet;
    }
  } catch (Failure& failure) {
    place(failure, current);
    throw;
  }
}

uint64_t Core::earliest_issue() {
  check(pipeline_.has_value(), "a core without time has no cycle in which a packet could issue");
  try {
    return pipeline_.value().earliest_issue(next_packet().timing);
  } catch (Failure& failure) {
    place(failure, nullptr);
    throw;
  }
}

/// A packet whose words do not decode has no text.
void Core::place(Failure& failure, const DecodedPacket* packet) {
  has_failed_to_fetch_ = packet == nullptr;
  failure.diagnostic.subject =
      fmt::format("packet at 0x{:x}{}", address_, packet == nullptr ? "" : " " + store_.text(*packet));
}

DecodedPacket& Core::next_packet() {
  if (last_ == nullptr) return store_.at(address_, state_.memory);
  DecodedPacket*& link = address_ == last_->following ? last_->next : last_->target;
  if (link == nullptr || link->address != address_) link = &store_.at(address_, state_.memory);
  return *link;
}

void Core::execute(DecodedPacket& packet) {
  state_.following = packet.following;
  state_.taken.reset();
  state_.is_guessed_wrong = false;
  state_.touches = 0;
  for (const MicroOperation& step : packet.steps) step.execute(state_, step);
  check_stores(packet);
  const std::span<const Touch> touched(state_.touched.data(), packet.timing.accesses.size());
  if (executed_) executed_(packet, touched);
  if (pipeline_) {
    times_ = pipeline_->issue(packet.timing,
                              {touched, state_.taken.has_value(), state_.is_guessed_wrong, state_.prefetched});
  }
  ++packet.executed;
  ++state_.packets;
  note_times(packet);
  address_ = state_.taken ? *state_.taken : loop_target(packet);
}

void Core::check_stores(const DecodedPacket& packet) const {
  for (size_t i = 0; i < packet.timing.accesses.size(); ++i) {
    const Touch& touch = state_.touched[i];
    if (!packet.timing.accesses[i].is_store || touch.bytes == 0) continue;
    if (!store_.holds(touch.address, touch.bytes)) {
      state_.memory.check_store(touch.address, touch.bytes);
      continue;
    }
    raise("SIM0084", "a store into words that have been executed", fmt::format("0x{:x}", touch.address), {},
          "keep code and data apart: the model decodes a packet once");
  }
}

/// If memory is asked, packet times are reported when they are known, otherwise now.
void Core::note_times(DecodedPacket& packet) {
  const uint64_t number = state_.packets - 1;
  if (pipeline_ && pipeline_->asks()) {
    open_.push_back({&packet, number, state_.touched});
    collect();
    return;
  }
  told(packet, number, {state_.touched.data(), packet.timing.accesses.size()});
}

void Core::told(DecodedPacket& packet, uint64_t number, std::span<const Touch> touched) {
  packet.waits += times_.waits;
  packet.vector_waits += times_.vector_waits;
  if (pipeline_) state_.cycles = pipeline_->cycles();
  if (watcher_) watcher_({packet, number, times_, touched});
}

void Core::collect() {
  Pipeline& pipeline = pipeline_.value();
  pipeline.advance();
  while (const std::optional<PacketTimes> times = pipeline.take_retired()) {
    const Open done = std::move(open_.front());
    open_.pop_front();
    times_ = *times;
    told(*done.packet, done.number, {done.touched.data(), done.packet->timing.accesses.size()});
    for (const std::function<void()>& act : done.then) act();
  }
}

bool Core::may_issue(const DecodedPacket& packet) {
  if (pipeline_.value().can_issue(packet.timing)) return true;
  collect();
  is_waiting_ = !pipeline_.value().can_issue(packet.timing);
  return !is_waiting_;
}

void Core::when_timed(std::function<void()> act) {
  if (open_.empty()) return act();
  open_.back().then.push_back(std::move(act));
}

bool Core::settle() {
  if (pipeline_) collect();
  return open_.empty();
}

/// A loop whose count is 1 or less ends; the outer one counts when the inner one has ended.
uint32_t Core::loop_target(const DecodedPacket& packet) {
  auto& controls = state_.registers.controls;
  const auto goes_on = [&](int32_t start) {
    if (controls[static_cast<size_t>(start) + 1] <= 1) return false;
    --controls[static_cast<size_t>(start) + 1];
    return true;
  };
  if (packet.packet.ends_inner_loop && goes_on(acg::kInnerStart)) return controls[acg::kInnerStart];
  if (packet.packet.ends_outer_loop && goes_on(acg::kOuterStart)) return controls[acg::kOuterStart];
  return packet.following;
}

}  // namespace covenant::sim::vliw
