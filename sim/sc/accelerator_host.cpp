#include "sim/sc/accelerator_host.h"

#include <bit>
#include <fmt/format.h>
#include <utility>

#include "acg/base/failure.h"
#include "acg/lang/machine_hash.h"
#include "offchip/clock.h"
#include "platform/report.h"
#include "sim/common/fault.h"
#include "sim/sc/families.h"

namespace covenant::sc {

namespace {

void check_options(const sim::sc::RunnerOptions& options) {
  if (options.outstanding == 0 || (options.outstanding >= 2 && std::has_single_bit(options.outstanding))) return;
  sim::raise("SIM0092", "AXI masters have queues of other sizes", fmt::format("outstanding = {}", options.outstanding),
             {"0: no masters", "powers of two from 2 on"}, "take 8, as the RTL has it by default");
}

/// Makes the runner; a machine without a model is reported as a mistake of the platform.
std::unique_ptr<sim::sc::ProgramRunner> runner_of(const acg::Machine& machine, const sim::sc::RunnerOptions& options) {
  try {
    const sim::Family& family = sim::family_of(machine);
    family.check_runnable(machine);
    check_options(options);
    return family.make_runner(machine, options);
  } catch (const Failure& failure) {
    report(failure.diagnostic);
    throw;  // if a report handler returns, the simulation continues without the module
  }
}

}  // namespace

Accelerator::Host::Host(acg::Machine machine, const sim::sc::RunnerOptions& options, sc_core::sc_out<bool>& interrupt,
                        ResetPin& reset_n)
    : sc_core::sc_module(sc_core::sc_module_name("host")),
      machine_(std::move(machine)),
      interrupt_(interrupt),
      reset_n_(reset_n),
      time_{time_of_picoseconds(offchip::Clock::of_frequency(machine_.clock_hertz).period)},
      runner_(runner_of(machine_, options)),
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
  SC_METHOD(reset);
  sensitive << reset_n;
  dont_initialize();
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

std::optional<uint32_t> Accelerator::Host::read32(uint64_t address) const {
  if (reset_n_.is_low()) return std::nullopt;
  return registers_.read32(address);
}

bool Accelerator::Host::write32(uint64_t address, uint32_t value, uint32_t strobes) {
  if (reset_n_.is_low()) return false;
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

void Accelerator::Host::reset() {
  if (!reset_n_.is_low()) return;
  if (registers_.is_busy()) abort();
  registers_.reset();
  line_.notify(sc_core::SC_ZERO_TIME);
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
