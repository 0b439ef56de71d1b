/// What an engine reaches outside of itself: the channels of its tokens and its bus. `sim/sc` binds it to ports.
#pragma once

#include <cstdint>

#include "sim/units/channels.h"

namespace covenant::sim {

class Surroundings {
 public:
  Surroundings() = default;
  Surroundings(const Surroundings&) = delete;
  Surroundings& operator=(const Surroundings&) = delete;
  virtual ~Surroundings() = default;

  /// As those of Channels.
  virtual bool has_token(uint32_t counter) = 0;
  virtual Channels::Taken take(uint32_t counter, uint64_t arrival) = 0;
  virtual bool has_room(uint32_t counter) = 0;
  virtual void post(uint32_t counter, uint64_t visible, const Clock& clock) = 0;

  /// As those of SharedBus, of an engine that has one.
  virtual void request_bus(uint64_t cycle, uint64_t beats) = 0;
  virtual void end_burst(uint64_t cycle) = 0;
};

}  // namespace covenant::sim
