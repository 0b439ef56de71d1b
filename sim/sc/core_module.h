/// The hardware contexts of a vliw_core as a SystemC module.
#pragma once

#include <exception>
#include <functional>
#include <systemc>
#include <vector>

#include "sim/units/vliw_core/contexts.h"
#include "sim/units/vliw_core/services.h"

namespace covenant::sim::sc {

/// Runs ahead of the kernel's time up to a service that a context asks for, or for a number of packets; then waits
/// until the kernel has come so far.
class CoreModule : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(CoreModule);
  /// Where a run passes for the first time: at which address, and what is to be done then.
  struct Stop {
    uint32_t address = vliw::Core::kNowhere;
    std::function<void()> reached;
  };
  /// What stands behind a context: it ends by a service, after `max_packets` packets, or at the last of `stops`, which
  /// are passed in their order.
  struct Behind {
    vliw::Services* services = nullptr;
    std::vector<Stop> stops{};
  };
  /// One of `behind` for each context. What it refers to must outlive the module.
  CoreModule(const sc_core::sc_module_name& name, vliw::Contexts& contexts, std::vector<Behind> behind,
             uint64_t max_packets);

  /// After the kernel has run out of events: rethrows what has stopped the core.
  void check() const;

 private:
  void step();
  bool advance();
  bool is_at_its_end(size_t context);
  bool is_at_last_stop(size_t context);

  vliw::Contexts& contexts_;
  std::vector<Behind> behind_;
  std::vector<size_t> next_stop_;  ///< of each context
  uint64_t max_packets_;
  std::exception_ptr failure_;
};

}  // namespace covenant::sim::sc
