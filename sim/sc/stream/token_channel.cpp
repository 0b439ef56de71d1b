#include "sim/sc/stream/token_channel.h"

namespace covenant::sim::sc {

TokenChannel::TokenChannel(const char* name, uint32_t memory)
    : sc_core::sc_prim_channel(name), first_(memory * static_cast<uint32_t>(acg::kMaxChannels) * 2) {}

const sc_core::sc_event& TokenChannel::made(std::unique_ptr<sc_core::sc_event>& event) {
  if (!event) event = std::make_unique<sc_core::sc_event>();
  return *event;
}

std::optional<Channels::Taken> TokenChannel::take(uint32_t counter, uint64_t arrival) {
  if (!channels_->has_token(counter)) return std::nullopt;
  const Channels::Taken taken = channels_->take(counter, arrival);
  if (const auto& room = rooms_[counter - first_]) room->notify(time_->until(taken.issue));
  return taken;
}

bool TokenChannel::post(uint32_t counter, uint64_t visible, const Clock& clock) {
  if (!channels_->has_room(counter)) return false;
  channels_->post(counter, visible, clock);
  if (const auto& token = tokens_[counter - first_]) token->notify(time_->until(visible));
  return true;
}

}  // namespace covenant::sim::sc
