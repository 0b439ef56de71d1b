#include "sim/run/simulate.h"

#include <fmt/format.h>

#include "acg/base/check.h"
#include "offchip/make_model.h"
#include "sim/common/fault.h"
#include "sim/sc/common/reported.h"
#include "sim/sc/families.h"

namespace covenant::sim {

namespace {

/// The order in which commands of several contexts issue would depend on answers that are not known yet.
void check_memory_of_contexts(size_t contexts, const SimulateOptions& options) {
  if (options.memory == offchip::kFixedMemory || contexts == 1) return;
  raise("SIM0091", "several contexts at once have no port to a model of off-chip memory",
        fmt::format("{} contexts, {}", contexts, options.memory), {std::string(offchip::kFixedMemory)},
        "leave the memory as it is, or run one image after the other");
}

}  // namespace

Simulator::Simulator(const acg::Program& program) : program_(program) {}

Simulator::~Simulator() = default;

template <typename Run>
Result<SimulateResult> Simulator::with_model(const Run& run) {
  return sc::reported<SimulateResult>([&] {
    const std::lock_guard lock(mutex_);
    if (!model_) {
      const Family& family = family_of(program_.machine);
      family.check_runnable(program_.machine);
      model_ = family.make_model(program_);
    }
    return run(*model_);
  });
}

Result<SimulateResult> Simulator::simulate(std::vector<uint8_t>& memory, const SimulateOptions& options) {
  if (!options.values) return simulate_cycles(memory, options);
  return with_model([&](ProgramModel& model) { return model.run(memory, options); });
}

Result<SimulateResult> Simulator::simulate_cycles(const std::vector<uint8_t>& memory, const SimulateOptions& options) {
  SimulateOptions cycles = options;
  cycles.values = false;
  return with_model([&](ProgramModel& model) { return model.time(memory, cycles); });
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
  return sc::reported<SimulateTogetherResult>([&] {
    check_memory_of_contexts(memories.size(), options);
    const Family& family = family_of(program.machine);
    if (family.simulate_together != nullptr) return family.simulate_together(program, memories, options);
    raise("SIM0087", "several images at once on a machine without contexts", program.machine.name, {},
          "run one after the other, or on a machine that has hardware contexts");
  });
}

StatisticsFromRecords statistics_from_records(const acg::Program& program, std::span<const acg::RetireRecord> records,
                                              std::span<const BlockTimes> times) {
  const Family& family = family_of(program.machine);
  check(family.statistics_from_records != nullptr, "commands of this machine leave no retire records");
  return family.statistics_from_records(program, records, times);
}

}  // namespace covenant::sim
