#include "sim/simulate.h"

#include <fmt/format.h>

#include "acg/base/failure.h"
#include "sim/sc/kernel.h"
#include "sim/sc/machine_modules.h"
#include "sim/units/simulation.h"

namespace covenant::sim {

namespace {

SimulateResult run(const acg::Program& program, std::vector<uint8_t>& memory, const SimulateOptions& options) {
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
    Diagnostic diagnostic;
    diagnostic.code = "SIM0070";
    diagnostic.message = "the SystemC kernel has reported an error";
    diagnostic.offending = fmt::format("{}: {}", report.get_msg_type(), report.get_msg());
    diagnostic.fix = "report this, with the program file";
    return diagnostic;
  }
}

}  // namespace covenant::sim
