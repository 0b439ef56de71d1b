#include "sim/simulate.h"

#include "acg/base/failure.h"
#include "sim/sc/kernel.h"
#include "sim/sc/machine_modules.h"
#include "sim/units/simulation.h"
#include "sim/units/supported.h"

namespace covenant::sim {

namespace {

SimulateResult run(const acg::Program& program, std::vector<uint8_t>& memory, const SimulateOptions& options) {
  if (const Status supported = check_supported(program.machine); !supported) throw Failure{supported.error()};
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
