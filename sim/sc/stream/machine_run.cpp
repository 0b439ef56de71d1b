#include "sim/sc/stream/machine_run.h"

#include <algorithm>

#include "acg/base/failure.h"
#include "acg/graph/queries.h"
#include "offchip/connect.h"
#include "platform/report.h"
#include "sim/stream/answer_queue.h"

namespace covenant::sim::sc {

namespace {

std::string name_of(const acg::Machine& machine, uint32_t memory) { return "memory_" + machine.memories[memory].name; }

}  // namespace

/// For the rest of a beat, and for the words that are fetched ahead after the last block
/// (docs/reference/off-chip-port.md).
uint64_t MachineRun::spare_bytes(const acg::Machine& machine) {
  constexpr uint64_t kWidestBeat = 4096;
  const acg::Edge& words = machine.edges[acg::instruction_edge(machine).value()];
  const uint64_t latency = acg::get(machine, acg::instruction_source(machine)).latency + words.latency;
  return std::max(kWidestBeat, AnswerQueue::places(latency) * words.bandwidth / 8);
}

MachineRun::MachineRun(const acg::Program& program)
    : sc_core::sc_module(sc_core::sc_module_name("run")),
      program_(program),
      time_{covenant::sc::time_of_picoseconds(offchip::Clock::of_frequency(program.machine.clock_hertz).period)},
      machine_("machine", program.machine) {
  const acg::Machine& machine = program.machine;
  for (const acg::MemoryRange& range : acg::memory_ranges(program)) {
    const uint32_t index = range.memory.value;
    const auto latency = sc_core::sc_time::from_value(machine.memories[index].latency * time_.period.value());
    auto made = std::make_unique<Offchip>(Offchip{.index = index});
    made->memory = std::make_unique<covenant::sc::Memory>(name_of(machine, index).c_str(),
                                                          covenant::sc::Storage(range.bytes), latency);
    bind(std::move(made));
  }
}

MachineRun::MachineRun(const acg::Program& program, std::span<uint8_t> image, const SimulateOptions& options)
    : sc_core::sc_module(sc_core::sc_module_name("run")),
      program_(program),
      time_{covenant::sc::time_of_picoseconds(offchip::Clock::of_frequency(program.machine.clock_hertz).period)},
      machine_("machine", program.machine) {
  const acg::Machine& machine = program.machine;
  const uint64_t spare = spare_bytes(machine);
  for (const acg::MemoryRange& range : acg::memory_ranges(program)) {
    auto made = std::make_unique<Offchip>(Offchip{.index = range.memory.value});
    // Without values, what a model answers for must not reach the image.
    covenant::sc::Storage storage = options.values
                                        ? covenant::sc::Storage(image.subspan(
                                              range.first, std::min(range.bytes + spare, image.size() - range.first)))
                                        : covenant::sc::Storage(range.bytes + spare);
    auto model =
        offchip::make_model(options.memory, offchip::connection_of(machine), options.trace ? &made->timeline : nullptr);
    if (!model) throw Failure{model.error()};
    made->memory = std::make_unique<covenant::sc::Memory>(name_of(machine, made->index).c_str(), std::move(storage),
                                                          std::move(*model));
    bind(std::move(made));
  }
}

void MachineRun::bind(std::unique_ptr<Offchip> memory) {
  for (covenant::sc::MemorySocket* socket : machine_.sockets_of(memory->index)) {
    socket->socket.bind(memory->memory->in);
  }
  memories_.push_back(std::move(memory));
}

SimulateResult MachineRun::run(Kernel& kernel, MemoryImage memory, const SimulateOptions& options) {
  if (!is_timed_) {
    kernel.elaborate();
    is_timed_ = machine_.timed_memories(time_);
  }
  time_.origin = time_.at(time_.cycle_from(sc_core::sc_time_stamp()));
  Simulation simulation(program_, std::move(memory), options, {.is_timed = *is_timed_});
  machine_.start(simulation, time_);
  kernel.run();
  return finish(simulation, options);
}

SimulateResult MachineRun::finish(Simulation& simulation, const SimulateOptions& options) {
  machine_.detach();
  if (machine_.failure()) std::rethrow_exception(machine_.failure());
  if (!machine_.has_finished()) simulation.raise_stuck();
  std::vector<MemoryStatistics> counted;
  std::vector<MemoryTrace> traces;
  if (options.memory != offchip::kFixedMemory) {
    for (const auto& memory : memories_) {
      const std::string& name = program_.machine.memories[memory->index].name;
      counted.push_back({name, options.memory, memory->memory->statistics()});
      traces.push_back(trace_of_memory(name, options.memory, program_.machine, std::move(memory->timeline)));
    }
  }
  return simulation.finish(std::move(counted), traces);
}

}  // namespace covenant::sim::sc
