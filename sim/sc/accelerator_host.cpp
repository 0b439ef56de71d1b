#include "sim/sc/accelerator_host.h"

#include <algorithm>
#include <utility>

#include "acg/base/failure.h"
#include "acg/graph/queries.h"
#include "acg/lang/machine_hash.h"
#include "offchip/clock.h"
#include "sim/sc/platform/report.h"
#include "sim/units/fault.h"
#include "sim/units/supported.h"

namespace covenant::sc {

namespace {

constexpr uint64_t kAddresses = uint64_t{1} << 31U;  // bytes of a memory that a program can name

acg::Program program_of(acg::Machine machine) {
  acg::Program program;
  program.machine = std::move(machine);
  for (uint32_t i = 0; i < program.machine.memories.size(); ++i) {
    if (program.machine.memories[i].kind == acg::MemoryKind::kOffchip)
      program.ranges.push_back({acg::MemoryId{i}, 0, 0});
  }
  return program;
}

/// Reported before anything is made of a machine that has no model.
acg::Machine checked(acg::Machine machine) {
  try {
    if (const Status supported = sim::check_supported(machine); !supported) report(supported.error());
    sim::check_machine(machine);
  } catch (const Failure& failure) {
    report(failure.diagnostic);
  }
  return machine;
}

uint32_t beat_of_words(const acg::Machine& machine) {
  return machine.edges[acg::instruction_edge(machine).value()].bandwidth / 8;
}

}  // namespace

Accelerator::Host::Host(acg::Machine machine, uint32_t first_port, sc_core::sc_out<bool>& interrupt)
    : sc_core::sc_module(sc_core::sc_module_name("host")),
      program_(program_of(checked(std::move(machine)))),
      interrupt_(interrupt),
      time_{time_of_picoseconds(offchip::Clock::of_frequency(program_.machine.clock_hertz).period)},
      machine_("machine", program_.machine, first_port),
      registers_(acg::machine_hash(program_.machine), beat_of_words(program_.machine),
                 {.start = [this](uint32_t entry) { start(entry); },
                  .abort = [this] { abort(); },
                  .counters = [this] { return counters(); }}),
      copies_(program_.machine.memories.size()) {
  machine_.ended = [this] {
    const uint64_t cycle = machine_.failure() ? time_.now() : simulation_->done();
    ended_.notify(time_.until(cycle));
  };
  SC_METHOD(end);
  sensitive << ended_;
  dont_initialize();
  SC_METHOD(drive);
  sensitive << line_;
}

std::vector<tlm::tlm_initiator_socket<>*> Accelerator::Host::memory_sockets(std::string_view memory) {
  std::vector<tlm::tlm_initiator_socket<>*> sockets;
  for (uint32_t index = 0; index < machine().memories.size(); ++index) {
    if (machine().memories[index].name != memory || machine().memories[index].kind != acg::MemoryKind::kOffchip)
      continue;
    for (MemorySocket* socket : machine_.sockets_of(index)) sockets.push_back(&socket->socket);
  }
  return sockets;
}

bool Accelerator::Host::write32(uint64_t address, uint32_t value, uint32_t strobes) {
  const bool is_written = registers_.write32(address, value, strobes);
  line_.notify(sc_core::SC_ZERO_TIME);
  return is_written;
}

void Accelerator::Host::start(uint32_t entry) {
  const uint64_t period = time_.period.value();
  const uint64_t now = sc_core::sc_time_stamp().value();
  time_.origin = sc_core::sc_time::from_value((now / period + 1) * period);
  program_.entry = entry;
  final_ = {};
  std::vector<bool> is_timed = machine_.timed_memories(time_);
  sim::MemoryImage image = open_memories(is_timed);
  simulation_.reset();
  simulation_.emplace(program_, std::move(image), sim::SimulateOptions{}, std::move(is_timed));
  simulation_->read_words_with([this](uint64_t address, uint64_t bytes) { read_words(address, bytes); });
  machine_.start(*simulation_, time_);
}

void Accelerator::Host::abort() {
  simulation_->wait_for_values();
  machine_.detach();
  ended_.cancel();
}

/// The last cycle of the run has come, or something has stopped it.
void Accelerator::Host::end() {
  if (!registers_.is_busy()) return;
  const sim::RunCounters last = counters();
  simulation_->wait_for_values();
  if (!machine_.failure()) {
    registers_.finish(last);
  } else {
    const uint64_t engine = machine_.failed_in().value_or(0);
    const std::optional<uint64_t> address = machine_.failed_at();
    registers_.fault(address ? registers::Stop::kMemory : registers::Stop::kMachine, uint64_t{1} << engine,
                     address.value_or(0), last);
  }
  machine_.detach();
  line_.notify(sc_core::SC_ZERO_TIME);
}

sim::RunCounters Accelerator::Host::counters() const {
  sim::RunCounters counters = simulation_->counted();
  if (!machine_.has_finished()) counters.cycles = time_.now();
  return counters;
}

/// The bytes of memories whose time is fixed where they lie, if that is granted; of others, what is read of them.
sim::MemoryImage Accelerator::Host::open_memories(std::vector<bool>& is_timed) {
  std::vector<std::span<uint8_t>> spans(machine().memories.size());
  for (uint32_t memory = 0; memory < spans.size(); ++memory) {
    if (machine().memories[memory].kind != acg::MemoryKind::kOffchip) continue;
    const std::vector<MemorySocket*> sockets = machine_.sockets_of(memory);
    if (!is_timed[memory] && !sockets.empty()) spans[memory] = direct_access(*sockets.front());
    if (!spans[memory].empty()) continue;
    is_timed[memory] = true;
    if (!copies_[memory]) copies_[memory] = std::make_unique<Storage>(kAddresses - 1);
    spans[memory] = copies_[memory]->bytes();
  }
  return {machine(), spans, 0};
}

std::span<uint8_t> Accelerator::Host::direct_access(MemorySocket& socket) {
  tlm::tlm_generic_payload asked;
  asked.set_command(tlm::TLM_WRITE_COMMAND);
  asked.set_address(0);
  tlm::tlm_dmi access;
  if (!socket.socket->get_direct_mem_ptr(asked, access)) return {};
  if (!access.is_read_write_allowed() || access.get_start_address() != 0) return {};
  return {access.get_dmi_ptr(), std::min<uint64_t>(access.get_end_address(), kAddresses - 2) + 1};
}

/// As far as they are there; that none is, is what instruction fetch meets.
void Accelerator::Host::read_words(uint64_t address, uint64_t bytes) {
  const uint32_t memory = acg::instruction_source(machine()).value;
  if (!copies_[memory]) return;
  const std::span<uint8_t> copy = copies_[memory]->bytes();
  const uint64_t there = address < copy.size() ? std::min(bytes, copy.size() - address) : 0;
  tlm::tlm_generic_payload asked;
  asked.set_command(tlm::TLM_READ_COMMAND);
  uint64_t read = 0;
  while (read < there) {
    // A page at a time: the block may end, and the memory, too.
    const uint64_t page = std::min<uint64_t>(4096 - (address + read) % 4096, there - read);
    asked.set_address(address + read);
    asked.set_data_ptr(copy.data() + address + read);
    asked.set_data_length(static_cast<unsigned>(page));
    asked.set_streaming_width(static_cast<unsigned>(page));
    const uint64_t got = machine_.sockets_of(memory).back()->socket->transport_dbg(asked);
    read += got;
    if (got < page) break;
  }
  if (read > 0) return;
  sim::raise_of_memory(address, "SIM0090", "off-chip memory has no words here", std::to_string(address), {},
                       "check the memory map of the platform, and where the program lies");
}

}  // namespace covenant::sc
