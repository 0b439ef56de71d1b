#include "sim/simulate.h"

#include <fmt/format.h>

#include "acg/base/check.h"
#include "acg/base/failure.h"
#include "acg/isa/packet_program.h"
#include "offchip/make_model.h"
#include "sim/sc/kernel.h"
#include "sim/sc/machine_run.h"
#include "sim/sc/simulate_packets.h"
#include "sim/units/fault.h"
#include "sim/units/simulation.h"
#include "sim/units/supported.h"

namespace covenant::sim {

namespace {

/// In which order packets of several contexts issue would hang on answers that nobody knows yet.
void check_memory_of_contexts(size_t contexts, const SimulateOptions& options) {
  if (options.memory == offchip::kFixedMemory || contexts == 1) return;
  raise("SIM0091", "several contexts at once have no port to a model of off-chip memory",
        fmt::format("{} contexts, {}", contexts, options.memory), {std::string(offchip::kFixedMemory)},
        "leave the memory as it is, or run one image after the other");
}

/// What the kernel reports is a diagnostic, too.
template <typename Simulated = SimulateResult, typename Simulate>
Result<Simulated> reported(Simulate&& simulate) {
  try {
    return guarded<Simulated>(simulate);
  } catch (const sc_core::sc_report& report) {
    return sc::diagnostic_of(report);
  }
}

Result<SimulateResult> run(const acg::Program& program, std::vector<uint8_t>& memory, const SimulateOptions& options) {
  return reported([&] {
    if (const Status supported = check_supported(program.machine); !supported) throw Failure{supported.error()};
    check_simulatable(program, memory);
    sc::Kernel kernel;
    sc::MachineRun machine(program, memory, options);
    kernel.run();
    return machine.finish();
  });
}

}  // namespace

Result<SimulateResult> simulate(const acg::Program& program, std::vector<uint8_t>& memory,
                                const SimulateOptions& options) {
  if (!options.values) return simulate_cycles(program, memory, options);
  if (acg::is_of_packets(program)) {
    return reported([&] { return simulate_packets(program, memory, options); });
  }
  return run(program, memory, options);
}

Result<SimulateResult> simulate_cycles(const acg::Program& program, const std::vector<uint8_t>& memory,
                                       const SimulateOptions& options) {
  SimulateOptions cycles = options;
  cycles.values = false;
  // The time of packets hangs on the addresses that they make: their values are computed all the same.
  if (acg::is_of_packets(program)) {
    std::vector<uint8_t> copy = memory;
    return reported([&] { return simulate_packets(program, copy, cycles); });
  }
  // Nothing is written without values.
  return run(program, const_cast<std::vector<uint8_t>&>(memory), cycles);
}

Result<SimulateTogetherResult> simulate_together(const acg::Program& program,
                                                 std::vector<std::vector<uint8_t>>& memories,
                                                 const SimulateOptions& options) {
  check(!memories.empty(), "there is something to simulate");
  return reported<SimulateTogetherResult>([&] {
    check_memory_of_contexts(memories.size(), options);
    if (acg::is_of_packets(program)) return simulate_packets_together(program, memories, options);
    raise("SIM0087", "several images at once on a machine without contexts", program.machine.name, {},
          "run one after the other, or on a machine that issues packets, such as hvx");
  });
}

}  // namespace covenant::sim
