#include "sim/run/simulate.h"

#include <fmt/format.h>

#include "acg/base/check.h"
#include "acg/base/failure.h"
#include "acg/program/packet_program.h"
#include "offchip/make_model.h"
#include "sim/common/fault.h"
#include "sim/sc/kernel.h"
#include "sim/sc/machine_run.h"
#include "sim/sc/simulate_packets.h"
#include "sim/stream/simulation.h"
#include "sim/stream/supported.h"

namespace covenant::sim {

namespace {

/// The order in which packets of several contexts issue would depend on answers that are not known yet.
void check_memory_of_contexts(size_t contexts, const SimulateOptions& options) {
  if (options.memory == offchip::kFixedMemory || contexts == 1) return;
  raise("SIM0091", "several contexts at once have no port to a model of off-chip memory",
        fmt::format("{} contexts, {}", contexts, options.memory), {std::string(offchip::kFixedMemory)},
        "leave the memory as it is, or run one image after the other");
}

/// Turns reports of the kernel into diagnostics, too.
template <typename Simulated = SimulateResult, typename Simulate>
Result<Simulated> reported(Simulate&& simulate) {
  try {
    return guarded<Simulated>(simulate);
  } catch (const sc_core::sc_report& report) {
    return sc::diagnostic_of(report);
  }
}

/// Gives an image the size back that it had, whatever happens.
class Size {
 public:
  explicit Size(std::vector<uint8_t>& memory) : memory_(memory), bytes_(memory.size()) {}
  ~Size() { memory_.resize(bytes_); }
  Size(const Size&) = delete;
  Size& operator=(const Size&) = delete;

 private:
  std::vector<uint8_t>& memory_;
  size_t bytes_;
};

/// Before a model of memory, which has a past after a run: made anew for each.
SimulateResult run_before_model(const acg::Program& program, std::vector<uint8_t>& memory,
                                const SimulateOptions& options) {
  const Size size(memory);
  sc::Kernel kernel;
  sc::MachineRun machine(program, memory, options);
  return machine.run(kernel, memory, options);
}

}  // namespace

/// A machine with memories of fixed latency, in a kernel of its own that is entered for each run.
class Simulator::Kept {
 public:
  explicit Kept(const acg::Program& program) : machine_(std::make_unique<sc::MachineRun>(program)) { kernel_.leave(); }
  ~Kept() {
    kernel_.enter();
    machine_.reset();
  }
  Kept(const Kept&) = delete;
  Kept& operator=(const Kept&) = delete;

  SimulateResult run(std::vector<uint8_t>& memory, const SimulateOptions& options) {
    const sc::Kernel::Use use(kernel_);
    return machine_->run(kernel_, memory, options);
  }

 private:
  sc::Kernel kernel_;
  std::unique_ptr<sc::MachineRun> machine_;
};

Simulator::Simulator(const acg::Program& program) : program_(program) {}

Simulator::~Simulator() = default;

Result<SimulateResult> Simulator::run(std::vector<uint8_t>& memory, const SimulateOptions& options) {
  return reported([&] {
    const std::lock_guard lock(mutex_);
    if (!kept_) {
      if (const Status supported = check_supported(program_.machine); !supported) throw Failure{supported.error()};
    }
    check_simulatable(program_, memory);
    if (options.memory != offchip::kFixedMemory) return run_before_model(program_, memory, options);
    if (!kept_) kept_ = std::make_unique<Kept>(program_);
    try {
      return kept_->run(memory, options);
    } catch (const sc_core::sc_report&) {
      kept_.reset();  // a kernel that has reported something is not used again
      throw;
    }
  });
}

Result<SimulateResult> Simulator::simulate(std::vector<uint8_t>& memory, const SimulateOptions& options) {
  if (!options.values) return simulate_cycles(memory, options);
  if (acg::is_of_packets(program_)) {
    return reported([&] { return simulate_packets(program_, memory, options); });
  }
  return run(memory, options);
}

Result<SimulateResult> Simulator::simulate_cycles(const std::vector<uint8_t>& memory, const SimulateOptions& options) {
  SimulateOptions cycles = options;
  cycles.values = false;
  // The time of packets hangs on the addresses that they make: their values are computed all the same.
  if (acg::is_of_packets(program_)) {
    std::vector<uint8_t> copy = memory;
    return reported([&] { return simulate_packets(program_, copy, cycles); });
  }
  // Nothing is written without values.
  return run(const_cast<std::vector<uint8_t>&>(memory), cycles);
}

Result<SimulateResult> simulate(const acg::Program& program, std::vector<uint8_t>& memory,
                                const SimulateOptions& options) {
  return Simulator(program).simulate(memory, options);
}

Result<SimulateResult> simulate_cycles(const acg::Program& program, const std::vector<uint8_t>& memory,
                                       const SimulateOptions& options) {
  return Simulator(program).simulate_cycles(memory, options);
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
