#include "sim/sc/stream/bus_channel.h"

#include <algorithm>
#include <utility>

namespace covenant::sim::sc {

BusChannel::BusChannel(const sc_core::sc_module_name& name, std::vector<SharedBus::Member> members)
    : sc_core::sc_module(name), members_(std::move(members)), places_(members_.size()), wake_("wake") {
  SC_METHOD(decide);
  sensitive << wake_;
  dont_initialize();
}

size_t BusChannel::place_of(uint32_t engine) const {
  const auto found = std::find_if(members_.begin(), members_.end(),
                                  [&](const SharedBus::Member& member) { return member.engine == engine; });
  return static_cast<size_t>(found - members_.begin());
}

void BusChannel::request(uint32_t engine, uint64_t cycle, uint64_t beats) {
  bus_->request(place_of(engine), cycle, beats);
  wake();
}

void BusChannel::end_burst(uint64_t cycle) {
  bus_->ended(cycle);
  wake();
}

/// At the next cycle in which a burst can begin.
void BusChannel::wake() {
  if (const auto cycle = bus_->next()) wake_.notify(time_->until(*cycle));
}

void BusChannel::decide() {
  if (!std::exchange(has_settled_, !has_settled_)) return next_trigger(sc_core::SC_ZERO_TIME);
  const uint64_t now = time_->now();
  const auto next = bus_->next();
  if (next && *next <= now) {
    const SharedBus::Grant grant = bus_->grant(now);
    places_[grant.member].beats = grant.beats;
    places_[grant.member].grant.notify();
  }
  wake();  // for requests that came meanwhile
}

}  // namespace covenant::sim::sc
