#include "runtime/driver/driver.h"

#include "acg/graph/queries.h"
#include "acg/lang/machine_hash.h"
#include "acg/program/code.h"
#include "runtime/driver/diagnostics.h"

namespace covenant::driver {

namespace map = registers;

namespace {

/// Events that end a run.
constexpr uint32_t kEnds =
    map::interrupt_status::kDone.mask() | map::interrupt_status::kFault.mask() | map::interrupt_status::kAborted.mask();
constexpr uint32_t kEvents = kEnds | map::interrupt_status::kRefused.mask();

std::vector<std::string> names_of_faults(const acg::Machine& machine) {
  std::vector<std::string> names;
  for (const acg::Engine& engine : acg::engines(machine)) names.push_back(engine.name);
  names.insert(names.end(), {"instruction fetch", "channels"});
  return names;
}

}  // namespace

Driver::Driver(RegisterBus& registers, MemoryBus& memory, const acg::Machine& machine)
    : registers_(&registers),
      memory_(&memory),
      machine_(machine),
      machine_hash_(acg::machine_hash(machine)),
      fault_names_(names_of_faults(machine)) {}

Result<Driver> Driver::open(RegisterBus& registers, MemoryBus& memory, const acg::Machine& machine) {
  Driver driver(registers, memory, machine);
  if (Status found = driver.check_identity(); !found) return found.error();
  const Result<uint64_t> hash = driver.read_wide(map::kMachineLow, map::kMachineHigh, "machine");
  if (!hash) return hash.error();
  if (*hash != driver.machine_hash_) return other_machine(machine.name, *hash, driver.machine_hash_);
  if (Status cleared = driver.clear(); !cleared) return cleared.error();
  return driver;
}

Status Driver::check_identity() {
  const Result<uint32_t> identity = read(map::kIdentity, "identity");
  if (!identity) return identity.error();
  if (*identity != map::kIdentityValue) return no_device(*identity);
  const Result<uint32_t> version = read(map::kVersion, "version");
  if (!version) return version.error();
  const uint32_t major = map::version::kMajor.of(*version);
  if (major != map::kVersionMajor) return other_version(major);
  return Done{};
}

Result<uint32_t> Driver::read(uint32_t address, const char* name) {
  const ReadResult result = registers_->read32(address);
  if (result.response != Response::kOkay) return refused_access(name, address, result.response, false);
  return result.value;
}

Status Driver::write(uint32_t address, uint32_t value, const char* name) {
  const Response response = registers_->write32(address, value);
  if (response != Response::kOkay) return refused_access(name, address, response, true);
  return Done{};
}

Result<uint64_t> Driver::read_wide(uint32_t low, uint32_t high, const char* name) {
  Result<uint32_t> above = read(high, name);
  while (above) {
    const Result<uint32_t> below = read(low, name);
    if (!below) return below.error();
    const Result<uint32_t> again = read(high, name);
    if (again && *again == *above) return uint64_t{*above} << 32U | *below;
    above = again;
  }
  return above.error();
}

Status Driver::check_program(const acg::Program& program, size_t image_bytes) const {
  if (program.machine != machine_ && acg::machine_hash(program.machine) != machine_hash_) {
    return other_program(program);
  }
  if (image_bytes != program.memory_bytes) return other_image(image_bytes, program.memory_bytes);
  return Done{};
}

Status Driver::load(const acg::Program& program, std::span<const uint8_t> image) {
  if (Status fits = check_program(program, image.size()); !fits) return fits;
  for (const acg::MemoryRange& range : acg::memory_ranges(program)) {
    const Response response =
        memory_->write(range.memory.value, acg::image_address(program), image.subspan(range.first, range.bytes));
    if (response != Response::kOkay) return refused_memory(program, range, response, true);
  }
  return Done{};
}

Status Driver::read_back(const acg::Program& program, std::span<uint8_t> image) {
  if (Status fits = check_program(program, image.size()); !fits) return fits;
  for (const acg::MemoryRange& range : acg::memory_ranges(program)) {
    const Response response =
        memory_->read(range.memory.value, acg::image_address(program), image.subspan(range.first, range.bytes));
    if (response != Response::kOkay) return refused_memory(program, range, response, false);
  }
  return Done{};
}

Status Driver::start(const acg::Program& program) {
  if (Status fits = check_program(program, program.memory_bytes); !fits) return fits;
  return start(acg::start_address(program));
}

Status Driver::start(uint64_t entry) {
  const auto low = static_cast<uint32_t>(entry);
  const auto high = static_cast<uint32_t>(entry >> 32U);
  const Result<DeviceStatus> before = status();
  if (!before) return before.error();
  // Events of earlier runs are cleared; the end of a run in progress must not be lost.
  const uint32_t over = before->is_busy ? map::interrupt_status::kRefused.mask() : kEvents;
  if (Status done = write(map::kInterruptStatus, over, "interrupt_status"); !done) return done;
  if (Status done = write(map::kProgramLow, low, "program_low"); !done) return done;
  if (Status done = write(map::kProgramHigh, high, "program_high"); !done) return done;
  if (Status done = write(map::kControl, map::control::kStart.mask(), "control"); !done) return done;
  const Result<uint32_t> events = read(map::kInterruptStatus, "interrupt_status");
  if (!events) return events.error();
  if (map::interrupt_status::kRefused.of(*events) == 0) return Done{};
  const Result<DeviceStatus> now = status();
  if (!now) return now.error();
  return refused_start(now->refusal, entry);
}

Result<DeviceStatus> Driver::status() {
  const Result<uint32_t> word = read(map::kStatus, "status");
  if (!word) return word.error();
  return DeviceStatus{.is_busy = map::status::kBusy.of(*word) != 0,
                      .is_done = map::status::kDone.of(*word) != 0,
                      .stop = static_cast<map::Stop>(map::status::kStop.of(*word)),
                      .refusal = static_cast<map::Refusal>(map::status::kRefusal.of(*word))};
}

Result<RunReport> Driver::counters() {
  RunReport report;
  struct Wide {
    uint64_t* number;
    uint32_t low;
    uint32_t high;
    const char* name;
  };
  for (const Wide& wide : {Wide{&report.cycles, map::kCyclesLow, map::kCyclesHigh, "cycles"},
                           Wide{&report.bytes_read, map::kBytesReadLow, map::kBytesReadHigh, "bytes_read"},
                           Wide{&report.bytes_written, map::kBytesWrittenLow, map::kBytesWrittenHigh, "bytes_written"},
                           Wide{&report.stalled, map::kStalledLow, map::kStalledHigh, "stalled"}}) {
    const Result<uint64_t> number = read_wide(wide.low, wide.high, wide.name);
    if (!number) return number.error();
    *wide.number = *number;
  }
  const Result<uint32_t> blocks = read(map::kBlocks, "blocks");
  if (!blocks) return blocks.error();
  report.blocks = *blocks;
  return report;
}

Result<RunReport> Driver::wait(std::chrono::nanoseconds timeout) {
  // `start` has cleared the events of runs before: the line is low until this one ends.
  if (Status done = write(map::kInterruptEnable, kEnds, "interrupt_enable"); !done) return done.error();
  Result<DeviceStatus> now = status();
  if (now && now->is_busy) {
    registers_->wait_interrupt(timeout);
    now = status();
  }
  if (!now) return now.error();
  if (now->is_busy) return too_long(timeout);
  if (Status done = write(map::kInterruptStatus, kEnds, "interrupt_status"); !done) return done.error();
  return report_of(*now);
}

Result<RunReport> Driver::report_of(const DeviceStatus& status) {
  const Result<RunReport> report = counters();
  if (!report || status.is_done) return report;
  if (status.stop == map::Stop::kNone) return nothing_started();
  if (status.stop == map::Stop::kAbort) return aborted(report->cycles);
  const Result<uint64_t> faults = read_wide(map::kFaultsLow, map::kFaultsHigh, "faults");
  if (!faults) return faults.error();
  const Result<uint64_t> address = read_wide(map::kFaultAddressLow, map::kFaultAddressHigh, "fault_address");
  if (!address) return address.error();
  const std::string names = names_in(*faults, fault_names_);
  if (status.stop == map::Stop::kMemory) return memory_fault(names, *address, report->cycles);
  return machine_fault(names, report->cycles);
}

Status Driver::abort() { return write(map::kControl, map::control::kStop.mask(), "control"); }

Status Driver::clear() { return write(map::kInterruptStatus, kEvents, "interrupt_status"); }

}  // namespace covenant::driver
