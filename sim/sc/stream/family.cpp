#include "sim/sc/stream/family.h"

#include <utility>

#include "acg/base/failure.h"
#include "offchip/make_model.h"
#include "sim/common/supported.h"
#include "sim/sc/common/kernel.h"
#include "sim/sc/stream/engines_runner.h"
#include "sim/sc/stream/machine_run.h"
#include "sim/stream/count_records.h"
#include "sim/stream/simulation.h"

namespace covenant::sim {
namespace {

/// A machine with memories of fixed latency, in a kernel of its own that is entered for each run.
class Kept {
 public:
  explicit Kept(const acg::Program& program) : machine_(std::make_unique<sc::MachineRun>(program)) { kernel_.leave(); }
  ~Kept() {
    kernel_.enter();
    machine_.reset();
  }
  Kept(const Kept&) = delete;
  Kept& operator=(const Kept&) = delete;

  SimulateResult run(MemoryImage memory, const SimulateOptions& options) {
    const sc::Kernel::Use use(kernel_);
    return machine_->run(kernel_, std::move(memory), options);
  }

 private:
  sc::Kernel kernel_;
  std::unique_ptr<sc::MachineRun> machine_;
};

/// Makes an image longer, and gives it the size back that it had, whatever happens.
class Longer {
 public:
  Longer(std::vector<uint8_t>& memory, uint64_t bytes) : memory_(memory), bytes_(memory.size()) {
    memory_.resize(bytes_ + bytes);
  }
  ~Longer() { memory_.resize(bytes_); }
  Longer(const Longer&) = delete;
  Longer& operator=(const Longer&) = delete;

 private:
  std::vector<uint8_t>& memory_;
  size_t bytes_;
};

/// Keeps the machine between runs, unless its memories have a model: that has a past after a run, and is made anew.
class StreamModel : public ProgramModel {
 public:
  explicit StreamModel(const acg::Program& program) : program_(program) {}

  SimulateResult run(std::vector<uint8_t>& memory, const SimulateOptions& options) override {
    check_simulatable(program_, memory);
    if (options.memory == offchip::kFixedMemory) return run_kept({program_, memory, options.seed}, options);
    const Longer longer(memory, sc::MachineRun::spare_bytes(program_.machine));
    return run_before_model(memory, {program_, memory, options.seed}, options);
  }

  SimulateResult time(const std::vector<uint8_t>& memory, const SimulateOptions& options) override {
    check_simulatable(program_, memory);
    MemoryImage words(program_, memory);
    if (options.memory == offchip::kFixedMemory) return run_kept(std::move(words), options);
    return run_before_model({}, std::move(words), options);
  }

 private:
  SimulateResult run_kept(MemoryImage memory, const SimulateOptions& options) {
    if (!kept_) kept_ = std::make_unique<Kept>(program_);
    try {
      return kept_->run(std::move(memory), options);
    } catch (const sc_core::sc_report&) {
      kept_.reset();  // a kernel that has reported something is not used again
      throw;
    }
  }

  SimulateResult run_before_model(std::span<uint8_t> bytes, MemoryImage memory, const SimulateOptions& options) {
    sc::Kernel kernel;
    sc::MachineRun machine(program_, bytes, options);
    return machine.run(kernel, std::move(memory), options);
  }

  const acg::Program& program_;
  std::unique_ptr<Kept> kept_;
};

void check_runnable(const acg::Machine& machine) {
  if (const Status supported = check_supported(machine); !supported) throw Failure{supported.error()};
  check_machine(machine);
}

}  // namespace

constinit const Family kStreamFamily{
    .name = "stream",
    .owns = [](const acg::Machine& /*machine*/) { return true; },
    .check_runnable = &check_runnable,
    .make_model = [](const acg::Program& program) -> std::unique_ptr<ProgramModel> {
      return std::make_unique<StreamModel>(program);
    },
    .make_runner = [](const acg::Machine& machine, const sc::RunnerOptions& options)
        -> std::unique_ptr<sc::ProgramRunner> { return std::make_unique<sc::EnginesRunner>(machine, options); },
    .statistics_from_records = &count_records};

}  // namespace covenant::sim
