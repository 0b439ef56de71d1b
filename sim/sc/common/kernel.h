/// One SystemC kernel context for one run.
#pragma once

#include <mutex>
#include <systemc>

#include "acg/base/diagnostic.h"
#include "sim/sc/common/cycle_time.h"

namespace covenant::sim::sc {

/// Creates a fresh simulation context and removes it again, so that a process can run any number of simulations one
/// after the other. The SystemC kernel is global to a process: creating a second Kernel blocks until the first one has
/// been left or destroyed.
///
/// All modules must be created after the Kernel and destroyed before it.
class Kernel {
 public:
  Kernel();
  ~Kernel();
  /// Between these, other Kernels may be made, used and removed. A Kernel is entered when it is made.
  void leave();
  void enter();

  /// Entered as long as this lives.
  class Use {
   public:
    explicit Use(Kernel& kernel) : kernel_(kernel) { kernel_.enter(); }
    ~Use() { kernel_.leave(); }
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;

   private:
    Kernel& kernel_;
  };

  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;

  /// Completes the construction of modules: sockets and ports then answer requests. Time does not advance.
  void elaborate();
  /// Runs until no event is left. Throws sc_core::sc_report if the kernel reports an error.
  void run();

  /// If no other time unit is in use, a cycle is one time step of the kernel.
  static CycleTime cycles() { return {sc_core::sc_time::from_value(1)}; }

 private:
  std::unique_lock<std::mutex> lock_;
  sc_core::sc_simcontext* before_ = nullptr;
  sc_core::sc_simcontext* mine_;
};

/// Turns a report of the kernel into a diagnostic (SIM0070).
Diagnostic diagnostic_of(const sc_core::sc_report& report);

}  // namespace covenant::sim::sc
