#include "sim/sc/stream/engines_runner.h"

#include <algorithm>
#include <utility>

#include "acg/graph/queries.h"

namespace covenant::sim::sc {

namespace {

constexpr uint64_t kAddresses = uint64_t{1} << 31U;  // bytes of a memory that a program can name

/// By memory of the machine: true if it is off chip.
std::vector<bool> offchip_memories(const acg::Machine& machine) {
  std::vector<bool> found;
  for (const acg::Memory& memory : machine.memories) found.push_back(memory.kind == acg::MemoryKind::kOffchip);
  return found;
}

acg::Program program_of(acg::Machine machine) {
  acg::Program program;
  program.machine = std::move(machine);
  for (uint32_t i = 0; i < program.machine.memories.size(); ++i) {
    if (program.machine.memories[i].kind == acg::MemoryKind::kOffchip)
      program.ranges.push_back({acg::MemoryId{i}, 0, 0});
  }
  return program;
}

}  // namespace

EnginesRunner::EnginesRunner(const acg::Machine& machine, const RunnerOptions& options)
    : program_(program_of(machine)),
      outstanding_(options.outstanding),
      machine_("machine", program_.machine, options.first_port),
      copies_(program_.machine.memories.size()) {
  machine_.ended = [this] { ended(machine_.failure() ? time_.now() : simulation_->done()); };
}

uint32_t EnginesRunner::alignment() const {
  return machine().edges[acg::instruction_edge(machine()).value()].bandwidth / 8;
}

void EnginesRunner::start(uint32_t entry, const CycleTime& time) {
  time_ = time;
  program_.entry = entry;
  simulation_.reset();
  simulation_.emplace(program_, copied_memories(), SimulateOptions{},
                      MemoryAccess{offchip_memories(machine()), outstanding_, true});
  machine_.start(*simulation_, time_);
}

void EnginesRunner::detach() {
  simulation_.value().wait_for_values();
  machine_.detach();
}

std::optional<ProgramRunner::Fault> EnginesRunner::fault() const {
  if (!machine_.failure()) return {};
  const uint64_t engine = machine_.failed_in().value_or(0);
  const std::optional<uint64_t> address = machine_.failed_at();
  return Fault{address ? registers::Stop::kMemory : registers::Stop::kMachine, uint64_t{1} << engine,
               address.value_or(0)};
}

RunCounters EnginesRunner::counters() const {
  const uint64_t now = time_.now();
  // Blocks may be closed, and the run finished, before their last cycle has come.
  const Simulation& simulation = simulation_.value();
  RunCounters counters = simulation.counted(machine_.has_finished() ? std::min(now, simulation.done()) : now);
  counters.bytes_read += machine_.fetched_bytes();
  counters.stalled += machine_.fetch_waited();
  return counters;
}

/// Each memory is a copy of what is read. Bytes are read and written by transactions, each at its time, whatever the
/// time of the memory is: other masters of the platform see and change them.
MemoryImage EnginesRunner::copied_memories() {
  std::vector<std::span<uint8_t>> spans(machine().memories.size());
  for (uint32_t memory = 0; memory < spans.size(); ++memory) {
    if (machine().memories[memory].kind != acg::MemoryKind::kOffchip) continue;
    if (!copies_[memory]) copies_[memory] = std::make_unique<covenant::sc::Storage>(kAddresses - 1);
    spans[memory] = copies_[memory]->bytes();
  }
  return {machine(), spans, 0};
}

}  // namespace covenant::sim::sc
