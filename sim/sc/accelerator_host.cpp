#include "sim/sc/accelerator_host.h"

#include <utility>

#include "acg/base/failure.h"
#include "acg/lang/machine_hash.h"
#include "offchip/clock.h"
#include "platform/report.h"
#include "sim/sc/families.h"

namespace covenant::sc {

namespace {

/// Makes the runner; a machine without a model is reported as a mistake of the platform.
std::unique_ptr<sim::sc::ProgramRunner> runner_of(const acg::Machine& machine, uint32_t first_port) {
  try {
    const sim::Family& family = sim::family_of(machine);
    family.check_runnable(machine);
    return family.make_runner(machine, first_port);
  } catch (const Failure& failure) {
    report(failure.diagnostic);
    throw;  // if a report handler returns, the simulation continues without the module
  }
}

}  // namespace

Accelerator::Host::Host(acg::Machine machine, uint32_t first_port, sc_core::sc_out<bool>& interrupt)
    : sc_core::sc_module(sc_core::sc_module_name("host")),
      machine_(std::move(machine)),
      interrupt_(interrupt),
      time_{time_of_picoseconds(offchip::Clock::of_frequency(machine_.clock_hertz).period)},
      runner_(runner_of(machine_, first_port)),
      registers_(acg::machine_hash(machine_), runner_->alignment(),
                 {.start = [this](uint32_t entry) { start(entry); },
                  .abort = [this] { abort(); },
                  .counters = [this] { return runner_->counters(); }}) {
  runner_->ended = [this](uint64_t cycle) { ended_.notify(time_.until(cycle)); };
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
    for (MemorySocket* socket : runner_->sockets_of(index)) sockets.push_back(&socket->socket);
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
  runner_->start(entry, time_);
}

void Accelerator::Host::abort() {
  runner_->detach();
  ended_.cancel();
}

/// The last cycle of the run has come, or something has stopped it.
void Accelerator::Host::end() {
  if (!registers_.is_busy()) return;
  const sim::RunCounters last = runner_->counters();
  runner_->detach();
  if (const auto fault = runner_->fault()) {
    registers_.fault(fault->stop, fault->faults, fault->address, last);
  } else {
    registers_.finish(last);
  }
  line_.notify(sc_core::SC_ZERO_TIME);
}

}  // namespace covenant::sc
