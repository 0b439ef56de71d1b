/// A hardware context of a vliw_core as a SystemC module.
#pragma once

#include <exception>
#include <systemc>

#include "sim/units/vliw_core/core.h"
#include "sim/units/vliw_core/services.h"

namespace covenant::sim::sc {

/// Runs ahead of the kernel's time up to a service that the core asks for, or for a number of packets; then waits until
/// the kernel has come so far.
class CoreModule : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(CoreModule);
  /// Ends after `max_packets` packets. What it refers to must outlive the module.
  CoreModule(const sc_core::sc_module_name& name, vliw::Core& core, vliw::Services& services, uint64_t max_packets);

  /// After the kernel has run out of events: rethrows what has stopped the core.
  void check() const;

 private:
  void step();
  bool advance();

  vliw::Core& core_;
  vliw::Services& services_;
  uint64_t max_packets_;
  std::exception_ptr failure_;
};

}  // namespace covenant::sim::sc
