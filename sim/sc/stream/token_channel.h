/// The tokens of one scratchpad as a SystemC channel, to which engines are bound by ports.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <systemc>

#include "sim/sc/common/cycle_time.h"
#include "sim/stream/channels.h"

namespace covenant::sim::sc {

/// Counters are those of Channels. Engines run ahead: a token is posted when its post is executed, and carries the
/// cycle from which on it is visible.
class TokenInterface : public virtual sc_core::sc_interface {
 public:
  /// The same as in Surroundings.
  virtual std::optional<Channels::Taken> take(uint32_t counter, uint64_t arrival) = 0;
  virtual bool post(uint32_t counter, uint64_t visible, const Clock& clock) = 0;
  virtual bool has_room(uint32_t counter) const = 0;
  /// Notifies an engine that has found no token, once, when the next one is visible; or one that has found no room,
  /// when a token is taken.
  virtual const sc_core::sc_event& next_token(uint32_t counter) = 0;
  virtual const sc_core::sc_event& next_room(uint32_t counter) = 0;
};

class TokenChannel : public sc_core::sc_prim_channel, public TokenInterface {
 public:
  /// The channel of the scratchpad with number `memory` in the machine.
  TokenChannel(const char* name, uint32_t memory);

  /// A run begins: its counters, and when its cycles are. Both must outlive it.
  void attach(Channels& channels, const CycleTime& time) {
    channels_ = &channels;
    time_ = &time;
  }

  std::optional<Channels::Taken> take(uint32_t counter, uint64_t arrival) override;
  bool post(uint32_t counter, uint64_t visible, const Clock& clock) override;
  bool has_room(uint32_t counter) const override { return channels_->has_room(counter); }
  const sc_core::sc_event& next_token(uint32_t counter) override { return made(tokens_[counter - first_]); }
  const sc_core::sc_event& next_room(uint32_t counter) override { return made(rooms_[counter - first_]); }

 private:
  /// Created for the first engine that waits: most tokens are posted before they are needed, and most counters are
  /// never used.
  using Events = std::array<std::unique_ptr<sc_core::sc_event>, acg::kMaxChannels * 2>;
  static const sc_core::sc_event& made(std::unique_ptr<sc_core::sc_event>& event);

  uint32_t first_;  ///< counter of this memory
  Events tokens_;
  Events rooms_;
  Channels* channels_ = nullptr;
  const CycleTime* time_ = nullptr;
};

}  // namespace covenant::sim::sc
