#include "tests/cosim/platforms/foreign_host.h"

#include <cstring>

namespace covenant::platforms {

using sc_core::SC_NS;
using sc_core::sc_time;

namespace {

constexpr uint64_t kNanosecond = 1000;
constexpr double kLongest = 400'000;  // nanoseconds of a run
constexpr uint64_t kQuiet = 4000;     // nanoseconds after which a device stands still that asks for nothing
constexpr uint64_t kErrorLater = 3000;

sc_time nanoseconds(uint64_t count) { return {static_cast<double>(count), SC_NS}; }

}  // namespace

ForeignHost::ForeignHost(const sc_core::sc_module_name& name, const Scenario& scenario, uint32_t device,
                         ForeignMemory& memory, uint64_t settles)
    : sc_core::sc_module(name),
      registers("registers"),
      window("window"),
      line("line"),
      scenario_(scenario),
      script_(scenario.devices.at(device)),
      device_(device),
      memory_(memory),
      settles_(settles) {
  SC_THREAD(work);
}

void ForeignHost::work() {
  for (const Run& run : script_.runs) {
    wait(nanoseconds(run.pause));
    begin(run);
    if (run.act != Act::kNothing) {
      wait_until_act(run);
      if (memory_.is_marked(device_)) act(run);
    }
    end(run);
  }
}

void ForeignHost::begin(const Run& run) {
  const Work& work = script_.works[run.program];
  ForeignMemory::Watch watch;
  watch.run = outcomes_.size();
  if (run.act != Act::kNothing) {
    watch.mark = run.mark;
    watch.holds = !scenario_.is_timed;
    if (run.act == Act::kError) watch.error = run.error;
    // In time: all bursts before it are then answered, and their beats taken.
    if (run.act == Act::kError && scenario_.is_timed) watch.more = kErrorLater;
  }
  if (!run.keeps) {
    // Requests of a run that was stopped, which masters of the RTL still make when earlier ones are answered.
    for (wait_for_quiet(200); memory_.owed(device_) > 0; wait_for_quiet(200)) wait(nanoseconds(10));
    std::vector<uint8_t> image = work.before;
    move(tlm::TLM_WRITE_COMMAND, work.base, image);
  }
  // The RTL begins a run when nothing is owed to the one before, the model at once: in time, both begin alike.
  while (scenario_.is_timed && memory_.owed(device_) > 0) wait(nanoseconds(10));
  memory_.watch(device_, watch);
  write(registers::kInterruptStatus, 0xF);
  write(registers::kInterruptEnable, registers::interrupt_enable::kDone.mask() |
                                         registers::interrupt_enable::kFault.mask() |
                                         registers::interrupt_enable::kAborted.mask());
  write(registers::kProgramLow, static_cast<uint32_t>(work.entry));
  write(registers::kProgramHigh, 0);
  wait(nanoseconds(1));  // the line falls
  write(registers::kControl, registers::control::kStart.mask());
}

/// The marked burst has been taken, or the run has ended without it; and the time of the act has come.
void ForeignHost::wait_until_act(const Run& run) {
  const sc_time longest = sc_core::sc_time_stamp() + sc_time(kLongest, SC_NS);
  while (!memory_.is_marked(device_) && !line.read() && sc_core::sc_time_stamp() < longest) {
    wait(longest - sc_core::sc_time_stamp(), memory_.marked(device_) | line.posedge_event());
  }
  if (!memory_.is_marked(device_)) return;
  if (!scenario_.is_timed) return wait_for_quiet(kQuiet);
  // Bursts and answers come at other times: this one lies between the cycles of the machines.
  wait(nanoseconds(run.delay) + sc_time(300, sc_core::SC_PS));
}

void ForeignHost::act(const Run& run) {
  switch (run.act) {
    case Act::kRefill:
      refill(run);
      break;
    case Act::kAbort:
      control(registers::control::kStop);
      break;
    case Act::kStartAgain:
      if (!line.read()) control(registers::control::kStart);
      break;
    default:
      break;
  }
  memory_.release(device_);
}

void ForeignHost::control(registers::Field field) {
  if (settles_ > 0) wait(sc_time::from_value(settles_));
  write(registers::kControl, field.mask());
}

/// Values change a little: scales remain finite numbers. Zeros stay, because weights of lanes that hold nothing are
/// zero: what those lanes hold is another thing in the RTL, which keeps it from run to run.
void ForeignHost::refill(const Run& run) {
  std::vector<uint8_t> bytes(run.bytes);
  move(tlm::TLM_READ_COMMAND, run.address, bytes);
  for (uint64_t byte = 0; byte < bytes.size(); ++byte) {
    if (bytes[byte] == 0) continue;
    bytes[byte] ^= static_cast<uint8_t>(drawn(scenario_.manner.seed, run.address, byte, outcomes_.size()) & 7U);
  }
  move(tlm::TLM_WRITE_COMMAND, run.address, bytes);
}

void ForeignHost::end(const Run& run) {
  const sc_time longest = sc_core::sc_time_stamp() + sc_time(kLongest, SC_NS);
  while (!line.read() && sc_core::sc_time_stamp() < longest) {
    wait(longest - sc_core::sc_time_stamp(), line.posedge_event());
  }
  Outcome outcome;
  outcome.is_hung = !line.read();
  outcome.is_marked = memory_.is_marked(device_);
  outcome.status = read(registers::kStatus);
  outcome.events = read(registers::kInterruptStatus);
  outcome.blocks = read(registers::kBlocks);
  outcome.cycles = read_both(registers::kCyclesLow);
  outcome.faults = read_both(registers::kFaultsLow);
  outcome.fault_address = read_both(registers::kFaultAddressLow);
  outcome.bytes_read = read_both(registers::kBytesReadLow);
  outcome.bytes_written = read_both(registers::kBytesWrittenLow);
  outcome.stalled = read_both(registers::kStalledLow);
  write(registers::kInterruptEnable, 0);
  const size_t next = outcomes_.size() + 1;
  const bool is_followed = next < script_.runs.size() && script_.runs[next].keeps;
  if (!is_followed) {
    wait_for_quiet(200);
    const Work& work = script_.works[run.program];
    outcome.memory.resize(work.before.size());
    move(tlm::TLM_READ_COMMAND, work.base, outcome.memory);
  }
  outcome.traffic = memory_.traffic(device_);
  outcomes_.push_back(std::move(outcome));
}

/// The device has asked for nothing for so long, and waits for no answer but one that is held.
void ForeignHost::wait_for_quiet(uint64_t length) {
  const sc_time longest = sc_core::sc_time_stamp() + sc_time(kLongest, SC_NS);
  while (sc_core::sc_time_stamp() < longest) {
    const uint64_t now = sc_core::sc_time_stamp().value(), quiet = memory_.last_seen(device_) + length * kNanosecond;
    if (now >= quiet) return;
    wait(sc_time::from_value(quiet - now));
  }
}

uint32_t ForeignHost::read(uint32_t address) {
  std::vector<uint8_t> bytes(4);
  tlm::tlm_generic_payload payload;
  sc_time delay;
  payload.set_command(tlm::TLM_READ_COMMAND);
  payload.set_address(address);
  payload.set_data_ptr(bytes.data());
  payload.set_data_length(4);
  payload.set_streaming_width(4);
  registers->b_transport(payload, delay);
  uint32_t value = 0;
  std::memcpy(&value, bytes.data(), 4);
  return value;
}

tlm::tlm_response_status ForeignHost::write(uint32_t address, uint32_t value) {
  tlm::tlm_generic_payload payload;
  sc_time delay;
  payload.set_command(tlm::TLM_WRITE_COMMAND);
  payload.set_address(address);
  payload.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
  payload.set_data_length(4);
  payload.set_streaming_width(4);
  registers->b_transport(payload, delay);
  return payload.get_response_status();
}

void ForeignHost::move(tlm::tlm_command command, uint64_t address, std::vector<uint8_t>& bytes) {
  tlm::tlm_generic_payload payload;
  sc_time delay;
  payload.set_command(command);
  payload.set_address(address);
  payload.set_data_ptr(bytes.data());
  payload.set_data_length(static_cast<unsigned>(bytes.size()));
  payload.set_streaming_width(static_cast<unsigned>(bytes.size()));
  window->b_transport(payload, delay);
}

}  // namespace covenant::platforms
