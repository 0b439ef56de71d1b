/// The interface of a Verilated device that is compiled as a shared library. Both sides include this header.
#pragma once

#include <cstdint>

namespace covenant::testing {

struct DeviceMemory {
  uint32_t memory = 0;  ///< its number in the machine
  uint8_t* data = nullptr;
  uint64_t bytes = 0;
};

struct DeviceAnswer {
  uint32_t response = 0;  ///< as AXI has it
  uint32_t value = 0;
};

/// A device after reset. The memories' bytes outlive it.
class VerilatedDevice {
 public:
  virtual ~VerilatedDevice() = default;
  virtual DeviceAnswer read(uint32_t address) = 0;
  virtual uint32_t write(uint32_t address, uint32_t value, uint32_t strobes) = 0;
  /// Runs until the interrupt line is high, at most `cycles` cycles. Returns whether it is.
  virtual bool wait(uint64_t cycles) = 0;
  /// Memories give a beat to a port in every fourth cycle only.
  virtual void slow_down() = 0;
};

using MakeDevice = VerilatedDevice* (*)(const DeviceMemory* memories, uint32_t count);
inline constexpr char kMakeDevice[] = "covenant_make_device";

}  // namespace covenant::testing
