/// One SystemC kernel context for one run.
#pragma once

#include <mutex>
#include <systemc>

#include "acg/base/diagnostic.h"
#include "sim/sc/cycle_time.h"

namespace covenant::sim::sc {

/// Makes a fresh simulation context, so that a process can run any number of simulations one after the other, and
/// removes it again. The SystemC kernel is global to a process: whoever makes a second Kernel waits until the first one
/// has been left or is gone.
///
/// All modules must be made after the Kernel and destroyed before it.
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

  /// What is made is complete: asked of it now, sockets and ports answer. Time stands.
  void elaborate();
  /// Runs until no event is left. Throws sc_core::sc_report if the kernel reports an error.
  void run();

  /// Where nobody counts in other units, a cycle is one time step of the kernel.
  static CycleTime cycles() { return {sc_core::sc_time::from_value(1)}; }

 private:
  std::unique_lock<std::mutex> lock_;
  sc_core::sc_simcontext* before_ = nullptr;
  sc_core::sc_simcontext* mine_;
};

/// What the kernel reports, as one of our diagnostics (SIM0070).
Diagnostic diagnostic_of(const sc_core::sc_report& report);

}  // namespace covenant::sim::sc
