/// A hardware context of a vliw_core as a SystemC module.
#pragma once

#include <exception>
#include <functional>
#include <systemc>
#include <vector>

#include "sim/units/vliw_core/core.h"
#include "sim/units/vliw_core/services.h"

namespace covenant::sim::sc {

/// Runs ahead of the kernel's time up to a service that the core asks for, or for a number of packets; then waits until
/// the kernel has come so far.
class CoreModule : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(CoreModule);
  /// Where a run passes for the first time: at which address, and what is to be done then.
  struct Stop {
    uint32_t address = vliw::Core::kNowhere;
    std::function<void()> reached;
  };
  /// Ends after `max_packets` packets, or at the last of `stops`, which are passed in their order. What it refers to
  /// must outlive the module.
  CoreModule(const sc_core::sc_module_name& name, vliw::Core& core, vliw::Services& services, uint64_t max_packets,
             std::vector<Stop> stops = {});

  /// After the kernel has run out of events: rethrows what has stopped the core.
  void check() const;

 private:
  void step();
  bool advance();
  bool is_at_last_stop();

  vliw::Core& core_;
  vliw::Services& services_;
  uint64_t max_packets_;
  std::vector<Stop> stops_;
  size_t next_stop_ = 0;
  std::exception_ptr failure_;
};

}  // namespace covenant::sim::sc
