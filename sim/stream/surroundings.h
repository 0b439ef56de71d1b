/// The interface of an engine to its surroundings: the channels of its tokens and its bus. `sim/sc` binds it to ports.
#pragma once

#include <cstdint>
#include <optional>

#include "sim/stream/channels.h"

namespace covenant::sim {

class Surroundings {
 public:
  Surroundings() = default;
  Surroundings(const Surroundings&) = delete;
  Surroundings& operator=(const Surroundings&) = delete;
  virtual ~Surroundings() = default;

  /// Channels::take; nothing if there is no token yet.
  virtual std::optional<Channels::Taken> take(uint32_t counter, uint64_t arrival) = 0;
  /// Channels::post; false if there is no room yet.
  virtual bool post(uint32_t counter, uint64_t visible, const Clock& clock) = 0;

  /// The same as in SharedBus, for an engine that has one.
  virtual void request_bus(uint64_t cycle, uint64_t beats) = 0;
  virtual void end_burst(uint64_t cycle) = 0;
};

}  // namespace covenant::sim
