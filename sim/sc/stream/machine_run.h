/// A machine alone with its off-chip memories, that runs programs.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <systemc>
#include <vector>

#include "acg/program/program.h"
#include "platform/memory.h"
#include "sim/run/simulate.h"
#include "sim/sc/common/kernel.h"
#include "sim/sc/stream/machine_module.h"

namespace covenant::sim::sc {

/// All arguments must outlive it.
class MachineRun : public sc_core::sc_module {
 public:
  /// Memories of a fixed latency: any number of runs. They are asked for that alone; bytes are those of each run's
  /// image.
  explicit MachineRun(const acg::Program& program);
  /// Memories with a model: one run. `image`: their bytes, those of the program's image and `spare_bytes` after them;
  /// empty in a run without values. Errors: those of offchip::make_model.
  MachineRun(const acg::Program& program, std::span<uint8_t> image, const SimulateOptions& options);
  /// How far past the end of a memory a request may reach.
  static uint64_t spare_bytes(const acg::Machine& machine);

  /// From the next cycle on; the kernel is that of the module, and `memory` is for values if `options` want some.
  /// Throws what stops the run; another one may begin then, unless the kernel itself has reported something.
  SimulateResult run(Kernel& kernel, MemoryImage memory, const SimulateOptions& options);

 private:
  struct Offchip {
    uint32_t index = 0;
    offchip::Timeline timeline{};  ///< if a trace is wanted
    std::unique_ptr<covenant::sc::Memory> memory{};
  };

  void bind(std::unique_ptr<Offchip> memory);
  SimulateResult finish(Simulation& simulation, const SimulateOptions& options);

  const acg::Program& program_;
  CycleTime time_;
  MachineModule machine_;
  std::vector<std::unique_ptr<Offchip>> memories_;
  std::optional<std::vector<bool>> is_timed_;  ///< by memory; known once everything is bound
};

}  // namespace covenant::sim::sc
