#include "sim/sc/machine_run.h"

#include <algorithm>

#include "acg/base/failure.h"
#include "acg/graph/queries.h"
#include "offchip/connect.h"
#include "sim/units/answer_queue.h"

namespace covenant::sim::sc {

namespace {

/// How far past the end of a memory somebody may ask: for the rest of a beat, and for the words after the last block as
/// long as its own have not come (docs/reference/off-chip-port.md).
uint64_t spare_bytes(const acg::Machine& machine) {
  constexpr uint64_t kWidestBeat = 4096;
  const acg::Edge& words = machine.edges[acg::instruction_edge(machine).value()];
  const uint64_t latency = acg::get(machine, acg::instruction_source(machine)).latency + words.latency;
  return std::max(kWidestBeat, AnswerQueue::places(latency) * words.bandwidth / 8);
}

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
  const uint64_t spare = spare_bytes(machine);
  if (!is_fixed && options_.values) image_.resize(program_.memory_bytes + spare);
  for (const acg::MemoryRange& range : acg::memory_ranges(program_)) {
    const uint32_t index = range.memory.value;
    auto made = std::make_unique<Offchip>();
    made->index = index;
    const std::string name = "memory_" + machine.memories[index].name;
    // Without values, what a model answers for must not reach the image; at a fixed latency nobody asks.
    covenant::sc::Storage storage = options_.values || is_fixed
                                        ? covenant::sc::Storage(std::span(image_).subspan(
                                              range.first, std::min(range.bytes + spare, image_.size() - range.first)))
                                        : covenant::sc::Storage(range.bytes + spare);
    if (is_fixed) {
      const auto latency = sc_core::sc_time::from_value(machine.memories[index].latency * time_.period.value());
      made->memory = std::make_unique<covenant::sc::Memory>(name.c_str(), std::move(storage), latency);
    } else {
      auto model = offchip::make_model(options_.memory, offchip::connection_of(machine),
                                       options_.trace ? &made->timeline : nullptr);
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
  std::vector<MemoryStatistics> counted;
  std::vector<MemoryTrace> traces;
  if (options_.memory != offchip::kFixedMemory) {
    for (const auto& memory : memories_) {
      const std::string& name = program_.machine.memories[memory->index].name;
      counted.push_back({name, options_.memory, memory->memory->statistics()});
      traces.push_back(trace_of_memory(name, options_.memory, program_.machine, std::move(memory->timeline)));
    }
  }
  return simulation_->finish(std::move(counted), traces);
}

}  // namespace covenant::sim::sc
