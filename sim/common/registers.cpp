#include "sim/common/registers.h"

#include <utility>

namespace covenant::sim {

namespace map = registers;

namespace {

constexpr uint32_t kEvents = map::interrupt_status::kDone.mask() | map::interrupt_status::kFault.mask() |
                             map::interrupt_status::kRefused.mask() | map::interrupt_status::kAborted.mask();

uint32_t low(uint64_t number) { return static_cast<uint32_t>(number); }
uint32_t high(uint64_t number) { return static_cast<uint32_t>(number >> 32U); }

/// All bits of the bytes that `strobes` marks.
uint32_t bits_of(uint32_t strobes) {
  uint32_t bits = 0;
  for (uint32_t byte = 0; byte < 4; ++byte) {
    if (((strobes >> byte) & 1U) != 0) bits |= 0xFFU << (8 * byte);
  }
  return bits;
}

void merge(uint32_t& stored, uint32_t value, uint32_t bits) { stored = (stored & ~bits) | (value & bits); }

}  // namespace

Registers::Registers(uint64_t machine_hash, uint32_t alignment, RegisterActions actions)
    : machine_hash_(machine_hash), alignment_(alignment), actions_(std::move(actions)) {}

uint32_t Registers::status() const {
  using namespace map::status;
  const bool is_fault = stop_ == map::Stop::kMachine || stop_ == map::Stop::kMemory;
  return kBusy.put(is_busy_ ? 1 : 0) | kDone.put(is_done_ ? 1 : 0) | kFault.put(is_fault ? 1 : 0) |
         kAborted.put(stop_ == map::Stop::kAbort ? 1 : 0) | kStop.put(static_cast<uint32_t>(stop_)) |
         kRefusal.put(static_cast<uint32_t>(refusal_));
}

std::optional<uint32_t> Registers::read32(uint64_t address) const {
  if (address % 4 != 0 || address >= map::kBytes) return std::nullopt;
  return value(low(address));
}

uint32_t Registers::value(uint32_t address) const {
  const RunCounters now = is_busy_ ? actions_.counters() : counters_;
  switch (address) {
    case map::kIdentity:
      return map::kIdentityValue;
    case map::kVersion:
      return map::version::kMajor.put(map::kVersionMajor);
    case map::kMachineLow:
      return low(machine_hash_);
    case map::kMachineHigh:
      return high(machine_hash_);
    case map::kStatus:
      return status();
    case map::kProgramLow:
      return program_low_;
    case map::kProgramHigh:
      return program_high_;
    case map::kInterruptEnable:
      return interrupt_enable_;
    case map::kInterruptStatus:
      return interrupt_status_;
    case map::kCyclesLow:
      return low(now.cycles);
    case map::kCyclesHigh:
      return high(now.cycles);
    case map::kBlocks:
      return now.blocks;
    case map::kFaultsLow:
      return low(faults_);
    case map::kFaultsHigh:
      return high(faults_);
    case map::kFaultAddressLow:
      return low(fault_address_);
    case map::kFaultAddressHigh:
      return high(fault_address_);
    case map::kBytesReadLow:
      return low(now.bytes_read);
    case map::kBytesReadHigh:
      return high(now.bytes_read);
    case map::kBytesWrittenLow:
      return low(now.bytes_written);
    case map::kBytesWrittenHigh:
      return high(now.bytes_written);
    case map::kStalledLow:
      return low(now.stalled);
    case map::kStalledHigh:
      return high(now.stalled);
    default:
      return 0;  // control
  }
}

bool Registers::write32(uint64_t address, uint32_t value, uint32_t strobes) {
  const uint32_t bits = bits_of(strobes);
  switch (address) {
    case map::kControl:
      control(value & bits);
      return true;
    case map::kProgramLow:
      merge(program_low_, value, bits);
      return true;
    case map::kProgramHigh:
      merge(program_high_, value, bits);
      return true;
    case map::kInterruptEnable:
      merge(interrupt_enable_, value & kEvents, bits);
      return true;
    case map::kInterruptStatus:
      interrupt_status_ &= ~(value & bits);
      return true;
    default:
      return false;
  }
}

void Registers::control(uint32_t value) {
  const bool was_busy = is_busy_;
  if (was_busy && map::control::kStop.of(value) != 0) {
    const RunCounters counters = actions_.counters();
    end(counters, map::Stop::kAbort, map::interrupt_status::kAborted.mask());
    actions_.abort();
  }
  if (map::control::kStart.of(value) == 0) return;
  // Both in one write: the start meets the run that the abort ends.
  const bool is_place = program_high_ == 0 && program_low_ % alignment_ == 0;
  if (was_busy || !is_place) {
    refusal_ = was_busy ? map::Refusal::kBusy : map::Refusal::kAddress;
    interrupt_status_ |= map::interrupt_status::kRefused.mask();
    return;
  }
  start();
}

void Registers::start() {
  is_busy_ = true;
  is_done_ = false;
  stop_ = map::Stop::kNone;
  refusal_ = map::Refusal::kNone;
  faults_ = 0;
  fault_address_ = 0;
  counters_ = {};
  actions_.start(program_low_);
}

void Registers::end(const RunCounters& counters, map::Stop stop, uint32_t event) {
  is_busy_ = false;
  is_done_ = stop == map::Stop::kNone;
  stop_ = stop;
  counters_ = counters;
  interrupt_status_ |= event;
}

void Registers::finish(const RunCounters& counters) {
  end(counters, map::Stop::kNone, map::interrupt_status::kDone.mask());
}

void Registers::fault(map::Stop stop, uint64_t faults, uint64_t address, const RunCounters& counters) {
  faults_ = faults;
  fault_address_ = stop == map::Stop::kMemory ? address : 0;
  end(counters, stop, map::interrupt_status::kFault.mask());
}

}  // namespace covenant::sim
