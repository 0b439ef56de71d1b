/// A bus that transfer engines share, as a SystemC channel.
#pragma once

#include <cstdint>
#include <deque>
#include <systemc>

#include "sim/sc/common/cycle_time.h"
#include "sim/stream/shared_bus.h"

namespace covenant::sim::sc {

/// `engine` is the engine's number in the machine.
class BusInterface : public virtual sc_core::sc_interface {
 public:
  virtual void request(uint32_t engine, uint64_t cycle, uint64_t beats) = 0;
  /// The engine's burst has moved its last beat; the bus is free from `cycle` on.
  virtual void end_burst(uint64_t cycle) = 0;
  /// Notified in the first cycle of a burst of the engine; `granted` then returns its beats.
  virtual const sc_core::sc_event& next_grant(uint32_t engine) const = 0;
  virtual uint64_t granted(uint32_t engine) const = 0;
};

/// Decides in a later delta cycle than engines ask in: then all requests of the cycle are known.
class BusChannel : public sc_core::sc_module, public BusInterface {
 public:
  SC_HAS_PROCESS(BusChannel);
  /// A bus of these engines.
  BusChannel(const sc_core::sc_module_name& name, std::vector<SharedBus::Member> members);

  /// A run begins, as TokenChannel::attach.
  void attach(SharedBus& bus, const CycleTime& time) {
    bus_ = &bus;
    time_ = &time;
  }

  void request(uint32_t engine, uint64_t cycle, uint64_t beats) override;
  void end_burst(uint64_t cycle) override;
  const sc_core::sc_event& next_grant(uint32_t engine) const override { return places_[place_of(engine)].grant; }
  uint64_t granted(uint32_t engine) const override { return places_[place_of(engine)].beats; }

 private:
  struct Place {
    sc_core::sc_event grant;
    uint64_t beats = 0;
  };
  size_t place_of(uint32_t engine) const;
  void decide();
  void wake();

  std::vector<SharedBus::Member> members_;
  std::deque<Place> places_;  ///< by member; events do not move
  sc_core::sc_event wake_;
  bool has_settled_ = false;
  SharedBus* bus_ = nullptr;
  const CycleTime* time_ = nullptr;
};

}  // namespace covenant::sim::sc
