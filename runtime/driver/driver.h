/// Runs programs on a device with the registers of docs/reference/registers.md, whether a model or hardware.
///
///     Result<driver::Driver> device = driver::Driver::open(registers, memory, program.machine);
///     if (!device) return device.error();
///     device->load(program, image);
///     device->start(program);
///     Result<driver::RunReport> report = device->wait(std::chrono::seconds(1));
///     device->read_back(program, image);
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "acg/base/result.h"
#include "acg/program/program.h"
#include "acg/registers/bus.h"
#include "acg/registers/registers.h"

namespace covenant::driver {

/// Cost of a run, from the device's counters.
struct RunReport {
  uint64_t cycles = 0;  ///< number of the cycle in which the last block was done
  uint32_t blocks = 0;
  uint64_t bytes_read = 0;  ///< over all off-chip ports
  uint64_t bytes_written = 0;
  uint64_t stalled = 0;  ///< cycles in which a port's oldest access was due and not answered, of all ports
};

/// Contents of the status register.
struct DeviceStatus {
  bool is_busy = false;
  bool is_done = false;  ///< the last run has come to its end
  registers::Stop stop = registers::Stop::kNone;
  registers::Refusal refusal = registers::Refusal::kNone;
};

class Driver {
 public:
  /// The device must have these registers and be this machine. Both buses outlive the driver.
  /// Errors: DRV0001 (no device), DRV0002 (registers of another version), DRV0003 (another machine), DRV0004.
  static Result<Driver> open(RegisterBus& registers, MemoryBus& memory, const acg::Machine& machine);

  /// Puts the image of a program, `program.memory_bytes` bytes with the segments and inputs in place
  /// (runtime/session/image.h), into the off-chip memories.
  /// Errors: DRV0005 (a memory refuses), DRV0006 (of another machine), DRV0014 (an image of another size).
  Status load(const acg::Program& program, std::span<const uint8_t> image);
  /// Reads it back, with what the run has written. Errors: as `load`.
  Status read_back(const acg::Program& program, std::span<uint8_t> image);

  /// Starts a program that is in memory. Errors: DRV0004, DRV0006, DRV0007 (a run is in progress, and continues),
  /// DRV0008 (no program can begin at this address).
  Status start(const acg::Program& program);
  /// The same by the address of the first block in the memory of the words.
  Status start(uint64_t entry);

  /// Waits for the end of the run, at most `timeout` in the device's time. Errors: DRV0004, DRV0009 (timeout; the run
  /// continues), DRV0010 (a fault of the machine), DRV0011 (a fault of a memory), DRV0012 (the run was aborted),
  /// DRV0013 (no run was started).
  Result<RunReport> wait(std::chrono::nanoseconds timeout);
  /// Stops the current run; does nothing if there is none. Error: DRV0004.
  Status abort();
  /// Forgets all events of the past: the interrupt line falls. Errors: DRV0004.
  Status clear();

  /// Errors: DRV0004.
  Result<DeviceStatus> status();
  /// Counters of the run that is under way, or of the last one. Errors: DRV0004.
  Result<RunReport> counters();

 private:
  Driver(RegisterBus& registers, MemoryBus& memory, const acg::Machine& machine);

  Result<uint32_t> read(uint32_t address, const char* name);
  Status write(uint32_t address, uint32_t value, const char* name);
  /// A number in two registers, also while it moves on.
  Result<uint64_t> read_wide(uint32_t low, uint32_t high, const char* name);
  Status check_identity();
  Status check_program(const acg::Program& program, size_t image_bytes) const;
  Result<RunReport> report_of(const DeviceStatus& status);

  RegisterBus* registers_;
  MemoryBus* memory_;
  acg::Machine machine_;
  uint64_t machine_hash_;
  std::vector<std::string> fault_names_;  ///< names of the bits of the register of faults
};

}  // namespace covenant::driver
