#include "sim/sc/token_channel.h"

namespace covenant::sim::sc {

TokenChannel::TokenChannel(const char* name, uint32_t memory)
    : sc_core::sc_prim_channel(name), first_(memory * static_cast<uint32_t>(acg::kMaxChannels) * 2) {}

TokenChannel::Waited& TokenChannel::waited(uint32_t counter) {
  Waited& waited = waited_[counter - first_];
  waited.is_waited = true;
  return waited;
}

Channels::Taken TokenChannel::take(uint32_t counter, uint64_t arrival) {
  const Channels::Taken taken = channels_->take(counter, arrival);
  Waited& waited = waited_[counter - first_];
  if (waited.is_waited) waited.room.notify(time_->until(taken.issue));
  return taken;
}

void TokenChannel::post(uint32_t counter, uint64_t visible, const Clock& clock) {
  channels_->post(counter, visible, clock);
  Waited& waited = waited_[counter - first_];
  if (waited.is_waited) waited.token.notify(time_->until(visible));
}

}  // namespace covenant::sim::sc
