#include "sim/simulate.h"

#include <optional>

#include "acg/base/failure.h"
#include "acg/isa/packet_program.h"
#include "sim/sc/kernel.h"
#include "sim/sc/machine_modules.h"
#include "sim/sc/simulate_packets.h"
#include "sim/units/simulation.h"
#include "sim/units/supported.h"

namespace covenant::sim {

namespace {

/// Of programs of packets; others: nothing.
std::optional<Result<SimulateResult>> packets(const acg::Program& program, std::vector<uint8_t>& memory,
                                              const SimulateOptions& options) {
  if (!acg::is_of_packets(program)) return std::nullopt;
  try {
    return guarded<SimulateResult>([&] { return simulate_packets(program, memory, options); });
  } catch (const sc_core::sc_report& report) {
    return sc::diagnostic_of(report);
  }
}

/// `make_image`: called once it is known that the machine and the memory can be simulated.
template <typename MakeImage>
Result<SimulateResult> run(const acg::Program& program, const std::vector<uint8_t>& memory,
                           const SimulateOptions& options, MakeImage&& make_image) {
  try {
    return guarded<SimulateResult>([&] {
      if (const Status supported = check_supported(program.machine); !supported) throw Failure{supported.error()};
      check_simulatable(program, memory);
      Simulation simulation(program, make_image(), options);
      sc::Kernel kernel;
      sc::MachineModule machine("machine", simulation);
      kernel.run();
      if (!machine.finished()) simulation.raise_stuck();
      return simulation.finish();
    });
  } catch (const sc_core::sc_report& report) {
    return sc::diagnostic_of(report);
  }
}

}  // namespace

Result<SimulateResult> simulate(const acg::Program& program, std::vector<uint8_t>& memory,
                                const SimulateOptions& options) {
  if (!options.values) return simulate_cycles(program, memory, options);
  if (auto done = packets(program, memory, options)) return *done;
  return run(program, memory, options, [&] { return MemoryImage(program, memory, options.seed); });
}

Result<SimulateResult> simulate_cycles(const acg::Program& program, const std::vector<uint8_t>& memory,
                                       const SimulateOptions& options) {
  SimulateOptions cycles = options;
  cycles.values = false;
  // The time of packets hangs on the addresses that they make: their values are computed all the same.
  std::vector<uint8_t> copy = acg::is_of_packets(program) ? memory : std::vector<uint8_t>{};
  if (auto done = packets(program, copy, cycles)) return *done;
  return run(program, memory, cycles, [&] { return MemoryImage(program, memory); });
}

}  // namespace covenant::sim
