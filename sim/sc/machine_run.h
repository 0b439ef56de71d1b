/// A machine that runs one program, alone with its off-chip memories.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <systemc>
#include <vector>

#include "acg/isa/program.h"
#include "sim/sc/machine_module.h"
#include "sim/sc/platform/memory.h"
#include "sim/simulate.h"

namespace covenant::sim::sc {

/// The run begins with the kernel's. What it is made of must outlive it.
class MachineRun : public sc_core::sc_module {
 public:
  /// Errors: those of offchip::make_model.
  MachineRun(const acg::Program& program, std::vector<uint8_t>& memory, const SimulateOptions& options);
  ~MachineRun() override;

  /// After the kernel has run out of events. Throws what has stopped the run.
  SimulateResult finish();

 private:
  void make_memories();
  void start_of_simulation() override;

  const acg::Program& program_;
  std::vector<uint8_t>& image_;
  const SimulateOptions& options_;
  CycleTime time_;
  MachineModule machine_;
  struct Offchip {
    uint32_t index = 0;
    offchip::Timeline timeline{};  ///< if a trace is wanted
    std::unique_ptr<covenant::sc::Memory> memory{};
  };
  std::vector<std::unique_ptr<Offchip>> memories_;
  std::optional<Simulation> simulation_;
};

}  // namespace covenant::sim::sc
