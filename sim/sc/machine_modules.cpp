#include "sim/sc/machine_modules.h"

#include <algorithm>
#include <string>
#include <utility>

#include "sim/sc/kernel.h"

namespace covenant::sim::sc {

EngineModule::EngineModule(const sc_core::sc_module_name& name, std::function<void()> run)
    : sc_core::sc_module(name), wake_("wake"), run_(std::move(run)) {
  SC_METHOD(step);
  sensitive << wake_;
  dont_initialize();
}

void EngineModule::wake_at(uint64_t cycle) {
  const uint64_t now = Kernel::now();
  wake_.notify(Kernel::time_of(std::max(cycle, now) - now));
}

MachineModule::MachineModule(const sc_core::sc_module_name& name, Simulation& simulation)
    : sc_core::sc_module(name), simulation_(simulation), block_over_("block_over") {
  for (uint32_t k = 0; k < simulation.engine_count(); ++k) {
    const std::string engine_name = "engine_" + std::to_string(k);
    engines_.push_back(std::make_unique<EngineModule>(engine_name.c_str(), [this, k] { run_engine(k); }));
  }
  SC_METHOD(next_block);
  sensitive << block_over_;
}

void MachineModule::guarded(const std::function<void()>& body) {
  if (failure_) return;
  try {
    body();
  } catch (...) {
    failure_ = std::current_exception();
  }
}

void MachineModule::next_block() {
  guarded([this] {
    // A wake that has become pointless may announce the end of a block twice.
    if (finished_ || (running_ && !simulation_.block_done())) return;
    if (running_) simulation_.end_block();
    running_ = false;
    const auto start = simulation_.begin_block();
    if (!start) {
      finished_ = true;
      return;
    }
    running_ = true;
    bool any = false;
    for (uint32_t k = 0; k < engines_.size(); ++k) {
      if (simulation_.engine(k).state() == EngineState::kDone) continue;
      engines_[k]->wake_at(*start);
      any = true;
    }
    if (!any) block_over_.notify(Kernel::time_of(1));
  });
}

void MachineModule::run_engine(uint32_t engine) {
  guarded([this, engine] {
    for (const Simulation::Wake& wake : simulation_.run(engine)) engines_[wake.engine]->wake_at(wake.cycle);
    // The end of a block is computed, not waited for: engines have run ahead of the kernel's time.
    if (simulation_.block_done()) block_over_.notify(Kernel::time_of(1));
  });
}

bool MachineModule::finished() const {
  if (failure_) std::rethrow_exception(failure_);
  return finished_;
}

}  // namespace covenant::sim::sc
