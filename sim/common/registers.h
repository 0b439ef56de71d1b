/// The registers by which a host drives a machine (docs/reference/registers.md), as values: the counterpart of
/// `covenant_host` in the RTL. The code that runs the machine reports the end of a run.
///
///     sim::Registers registers(acg::machine_hash(machine), beat_bytes,
///                              {.start = [&](uint32_t entry) { ... }, .abort = [&] { ... }, .counters = [&] { ... }});
///     registers.write32(registers::kProgramLow, entry);
///     registers.write32(registers::kControl, registers::control::kStart.mask());   // calls `start`
///     registers.finish(counters);                                                  // raises `interrupt()` if enabled
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

#include "acg/registers/registers.h"

namespace covenant::sim {

/// Counters of the current or last run.
struct RunCounters {
  uint64_t cycles =
      0;  ///< number of this cycle; at the end, of that in which the last block was done or it was stopped
  uint32_t blocks = 0;
  uint64_t bytes_read = 0;
  uint64_t bytes_written = 0;
  uint64_t stalled = 0;
};

/// Actions of the machine that registers start, and values that they read from it.
struct RegisterActions {
  std::function<void(uint32_t entry)> start;  ///< after this, `finish`, `fault` or an abort ends the run
  std::function<void()> abort;                ///< ends the current run; `counters` is called before
  std::function<RunCounters()> counters;      ///< counters of the current run
};

class Registers {
 public:
  /// `alignment`: bytes of a beat of instructions, at whose multiples programs begin.
  Registers(uint64_t machine_hash, uint32_t alignment, RegisterActions actions);

  /// The value of a register. Nothing if there is none at `address`, which is an error for the requester.
  std::optional<uint32_t> read32(uint64_t address) const;
  /// Writes the bytes that `strobes` marks, the lowest bit for the lowest byte. False, and nothing happens, if nothing
  /// can be written there.
  bool write32(uint64_t address, uint32_t value, uint32_t strobes = 0xF);

  /// The last block of the run is done. Precondition of this and the next function: a run is in progress.
  void finish(const RunCounters& counters);
  /// The run is stopped. `faults` has a bit for each engine, one for the fetch unit, one for channels; `address` is of
  /// the burst that off-chip memory has refused.
  void fault(registers::Stop stop, uint64_t faults, uint64_t address, const RunCounters& counters);

  /// All registers as after power-on. Precondition: no run is in progress, or nothing of it is left.
  void reset() { *this = Registers(machine_hash_, alignment_, std::move(actions_)); }

  bool is_busy() const { return is_busy_; }
  /// Level of the interrupt line.
  bool interrupt() const { return (interrupt_status_ & interrupt_enable_) != 0; }

 private:
  uint32_t status() const;
  uint32_t value(uint32_t address) const;
  void control(uint32_t value);
  void start();
  void end(const RunCounters& counters, registers::Stop stop, uint32_t event);

  uint64_t machine_hash_;
  uint32_t alignment_;
  RegisterActions actions_;
  bool is_busy_ = false;
  bool is_done_ = false;
  registers::Stop stop_ = registers::Stop::kNone;
  registers::Refusal refusal_ = registers::Refusal::kNone;
  uint32_t program_low_ = 0;
  uint32_t program_high_ = 0;
  uint32_t interrupt_enable_ = 0;
  uint32_t interrupt_status_ = 0;
  uint64_t faults_ = 0;
  uint64_t fault_address_ = 0;
  RunCounters counters_;
};

}  // namespace covenant::sim
