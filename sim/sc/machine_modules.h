/// The machine as SystemC modules: thin shells round the plain C++ units.
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <systemc>
#include <vector>

#include "sim/units/simulation.h"

namespace covenant::sim::sc {

/// One engine. Its only process runs the engine ahead to its next point of synchronisation; its only event says that it
/// may go on.
class EngineModule : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(EngineModule);
  /// `run` runs the engine ahead; what it refers to must outlive the module.
  EngineModule(const sc_core::sc_module_name& name, std::function<void()> run);
  void wake_at(uint64_t cycle);

 private:
  void step() { run_(); }

  sc_core::sc_event wake_;
  std::function<void()> run_;
};

/// Control and all engines: starts blocks, wakes engines, closes blocks. One event per point of synchronisation; no
/// clock, no signal.
class MachineModule : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(MachineModule);
  /// `simulation` must outlive the module.
  MachineModule(const sc_core::sc_module_name& name, Simulation& simulation);

  /// After the kernel has run out of events: rethrows what stopped the run early; says whether all blocks are done.
  bool finished() const;

 private:
  void next_block();
  void run_engine(uint32_t engine);
  /// Calls body and keeps what it throws: exceptions must not pass through the kernel.
  void guarded(const std::function<void()>& body);

  Simulation& simulation_;
  sc_core::sc_event block_over_;
  std::vector<std::unique_ptr<EngineModule>> engines_;
  std::exception_ptr failure_;
  bool finished_ = false;
  bool running_ = false;  ///< a block has begun and is not closed yet
};

}  // namespace covenant::sim::sc
