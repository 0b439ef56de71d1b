#include "sim/sc/stream/engines_runner.h"

#include <algorithm>
#include <string>
#include <utility>

#include "acg/graph/queries.h"
#include "sim/common/fault.h"
#include "sim/sc/common/debug_access.h"

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
                      MemoryAccess{offchip_memories(machine()), outstanding_});
  simulation_->read_words_with([this](uint64_t address, uint64_t bytes) { read_words(address, bytes); });
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
  RunCounters counters = simulation_.value().counted();
  counters.bytes_read += machine_.fetched_bytes();
  counters.stalled += machine_.fetch_waited();
  if (!machine_.has_finished()) counters.cycles = time_.now();
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

/// Reads as many words as exist; if there are none, instruction fetch reports that.
void EnginesRunner::read_words(uint64_t address, uint64_t bytes) {
  const uint32_t memory = acg::instruction_source(machine()).value;
  if (!copies_[memory]) return;
  const std::span<uint8_t> copy = copies_[memory]->bytes();
  const uint64_t there = address < copy.size() ? std::min(bytes, copy.size() - address) : 0;
  uint64_t read = 0;
  while (read < there) {
    // A page at a time: the block may end, and the memory, too.
    const uint64_t page = std::min<uint64_t>(4096 - (address + read) % 4096, there - read);
    const uint64_t got = read_debug(machine_.fetch_socket(), address + read, copy.subspan(address + read, page));
    read += got;
    if (got < page) break;
  }
  if (read > 0) return;
  raise_of_memory(address, "SIM0090", "off-chip memory has no words here", std::to_string(address), {},
                  "check the memory map of the platform, and where the program lies");
}

}  // namespace covenant::sim::sc
