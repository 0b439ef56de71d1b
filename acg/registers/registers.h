/// Addresses, fields and values of the registers by which a host drives a machine.
/// Written by ./dev registers from rtl/registers/covenant.rdl: change that, not this file.
#pragma once

#include <cstdint>

namespace covenant::registers {

/// Bits of a register.
struct Field {
  uint32_t low = 0;
  uint32_t width = 1;
  constexpr uint32_t mask() const { return (UINT32_MAX >> (32 - width)) << low; }
  constexpr uint32_t of(uint32_t word) const { return (word & mask()) >> low; }
  constexpr uint32_t put(uint32_t value) const { return (value << low) & mask(); }
};

// Addresses, in bytes.
inline constexpr uint32_t kIdentity = 0x00;
inline constexpr uint32_t kVersion = 0x04;
inline constexpr uint32_t kMachineLow = 0x08;
inline constexpr uint32_t kMachineHigh = 0x0C;
inline constexpr uint32_t kControl = 0x10;
inline constexpr uint32_t kStatus = 0x14;
inline constexpr uint32_t kProgramLow = 0x18;
inline constexpr uint32_t kProgramHigh = 0x1C;
inline constexpr uint32_t kInterruptEnable = 0x20;
inline constexpr uint32_t kInterruptStatus = 0x24;
inline constexpr uint32_t kCyclesLow = 0x28;
inline constexpr uint32_t kCyclesHigh = 0x2C;
inline constexpr uint32_t kBlocks = 0x30;
inline constexpr uint32_t kFaultsLow = 0x34;
inline constexpr uint32_t kFaultsHigh = 0x38;
inline constexpr uint32_t kFaultAddressLow = 0x3C;
inline constexpr uint32_t kFaultAddressHigh = 0x40;
inline constexpr uint32_t kBytesReadLow = 0x44;
inline constexpr uint32_t kBytesReadHigh = 0x48;
inline constexpr uint32_t kBytesWrittenLow = 0x4C;
inline constexpr uint32_t kBytesWrittenHigh = 0x50;
inline constexpr uint32_t kStalledLow = 0x54;
inline constexpr uint32_t kStalledHigh = 0x58;
inline constexpr uint32_t kBytes = 0x5C;  ///< of all of them

namespace version {
inline constexpr Field kMinor{0, 16};
inline constexpr Field kMajor{16, 16};
}  // namespace version

namespace control {
inline constexpr Field kStart{0, 1};
inline constexpr Field kStop{1, 1};
}  // namespace control

namespace status {
inline constexpr Field kBusy{0, 1};
inline constexpr Field kDone{1, 1};
inline constexpr Field kFault{2, 1};
inline constexpr Field kAborted{3, 1};
inline constexpr Field kStop{8, 4};
inline constexpr Field kRefusal{12, 4};
}  // namespace status

namespace interrupt_enable {
inline constexpr Field kDone{0, 1};
inline constexpr Field kFault{1, 1};
inline constexpr Field kRefused{2, 1};
inline constexpr Field kAborted{3, 1};
}  // namespace interrupt_enable

namespace interrupt_status {
inline constexpr Field kDone{0, 1};
inline constexpr Field kFault{1, 1};
inline constexpr Field kRefused{2, 1};
inline constexpr Field kAborted{3, 1};
}  // namespace interrupt_status

inline constexpr uint32_t kIdentityValue = 0x4E564F43;
inline constexpr uint32_t kVersionMajor = 0x1;

enum class Stop : uint32_t {
  kNone = 0,     ///< nothing has stopped it
  kMachine = 1,  ///< a word or a token that must not be: `faults` says of whom
  kMemory = 2,   ///< off-chip memory has answered with an error: `faults` says to whom, `fault_address` where
  kAbort = 3,    ///< an abort
};

enum class Refusal : uint32_t {
  kNone = 0,     ///< no start has been refused
  kBusy = 1,     ///< a run was under way, and goes on
  kAddress = 2,  ///< no program can begin at `program`: not a multiple of a beat of instructions, or beyond 32 bits
};

}  // namespace covenant::registers
