#include "sim/sc/machine_run.h"

#include <algorithm>

#include "acg/base/failure.h"
#include "acg/graph/queries.h"
#include "offchip/connect.h"

namespace covenant::sim::sc {

namespace {

/// Beats at the end of a memory may reach past it.
constexpr uint64_t kSpare = 4096;

}  // namespace

MachineRun::MachineRun(const acg::Program& program, std::vector<uint8_t>& memory, const SimulateOptions& options)
    : sc_core::sc_module(sc_core::sc_module_name("run")),
      program_(program),
      image_(memory),
      options_(options),
      time_{sc_core::sc_time(static_cast<double>(offchip::Clock::of_frequency(program.machine.clock_hertz).period),
                             sc_core::SC_PS)},
      machine_("machine", program.machine) {
  make_memories();
}

MachineRun::~MachineRun() {
  if (options_.values) image_.resize(program_.memory_bytes);
}

void MachineRun::make_memories() {
  const acg::Machine& machine = program_.machine;
  const bool is_fixed = options_.memory == offchip::kFixedMemory;
  if (!is_fixed && options_.values) image_.resize(program_.memory_bytes + kSpare);
  for (const acg::MemoryRange& range : acg::memory_ranges(program_)) {
    const uint32_t index = range.memory.value;
    auto made = std::make_unique<Offchip>();
    made->index = index;
    const std::string name = "memory_" + machine.memories[index].name;
    covenant::sc::Storage storage = options_.values
                                        ? covenant::sc::Storage(std::span(image_).subspan(
                                              range.first, std::min(range.bytes + kSpare, image_.size() - range.first)))
                                        : covenant::sc::Storage(range.bytes + kSpare);
    if (is_fixed) {
      const auto latency = sc_core::sc_time::from_value(machine.memories[index].latency * time_.period.value());
      made->memory = std::make_unique<covenant::sc::Memory>(name.c_str(), std::move(storage), latency);
    } else {
      auto model = offchip::make_model(options_.memory, offchip::connection_of(machine),
                                       options_.trace ? &made->slices : nullptr);
      if (!model) throw Failure{model.error()};
      made->memory = std::make_unique<covenant::sc::Memory>(name.c_str(), std::move(storage), std::move(*model));
    }
    for (covenant::sc::MemorySocket* socket : machine_.sockets_of(index)) socket->socket.bind(made->memory->in);
    memories_.push_back(std::move(made));
  }
}

void MachineRun::start_of_simulation() {
  MemoryImage image =
      options_.values ? MemoryImage(program_, image_, options_.seed) : MemoryImage(program_, std::as_const(image_));
  simulation_.emplace(program_, std::move(image), options_, machine_.timed_memories(time_));
  machine_.start(*simulation_, time_);
}

SimulateResult MachineRun::finish() {
  if (machine_.failure()) std::rethrow_exception(machine_.failure());
  if (!machine_.has_finished()) simulation_.value().raise_stuck();
  std::vector<MemoryStatistics> memories;
  if (options_.memory != offchip::kFixedMemory) {
    for (const auto& memory : memories_) {
      memories.push_back(
          {program_.machine.memories[memory->index].name, options_.memory, memory->memory->statistics()});
    }
  }
  return simulation_->finish(std::move(memories));
}

}  // namespace covenant::sim::sc
