#include "sim/simulate.h"

#include "acg/base/failure.h"
#include "acg/graph/modelled.h"
#include "sim/sc/kernel.h"
#include "sim/sc/machine_modules.h"
#include "sim/units/simulation.h"

namespace covenant::sim {

namespace {

SimulateResult run(const acg::Program& program, std::vector<uint8_t>& memory, const SimulateOptions& options) {
  if (const Status modelled = acg::check_modelled(program.machine); !modelled) throw Failure{modelled.error()};
  if (const Status whole = acg::check_whole_bytes(program.machine); !whole) throw Failure{whole.error()};
  check_simulatable(program, memory);
  Simulation simulation(program, memory, options);
  sc::Kernel kernel;
  sc::MachineModule machine("machine", simulation);
  kernel.run();
  if (!machine.finished()) simulation.raise_stuck();
  return simulation.finish();
}

}  // namespace

Result<SimulateResult> simulate(const acg::Program& program, std::vector<uint8_t>& memory,
                                const SimulateOptions& options) {
  try {
    return guarded<SimulateResult>([&] { return run(program, memory, options); });
  } catch (const sc_core::sc_report& report) {
    return sc::diagnostic_of(report);
  }
}

}  // namespace covenant::sim
