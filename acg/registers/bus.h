/// The interface of a driver to the system around a device: its registers and the memories that it shares.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>

namespace covenant::driver {

/// How an access has ended.
enum class Response : uint8_t {
  kOkay,
  kDeviceError,  ///< the device refuses it (SLVERR of AXI)
  kNobody,       ///< nothing is there (DECERR)
};

struct ReadResult {
  Response response = Response::kOkay;
  uint32_t value = 0;
};

/// The window of registers of one device, and its interrupt line.
class RegisterBus {
 public:
  RegisterBus() = default;
  RegisterBus(const RegisterBus&) = delete;
  RegisterBus& operator=(const RegisterBus&) = delete;
  virtual ~RegisterBus() = default;

  /// Addresses are bytes from the start of the window.
  virtual ReadResult read32(uint32_t address) = 0;
  virtual Response write32(uint32_t address, uint32_t value) = 0;
  /// Waits until the line is high: true, at once if it is; or until so much time of the device has passed: false.
  virtual bool wait_interrupt(std::chrono::nanoseconds timeout) = 0;
};

/// The off-chip memories of a machine, by their numbers, each with its own addresses.
class MemoryBus {
 public:
  MemoryBus() = default;
  MemoryBus(const MemoryBus&) = delete;
  MemoryBus& operator=(const MemoryBus&) = delete;
  virtual ~MemoryBus() = default;

  virtual Response read(uint32_t memory, uint64_t address, std::span<uint8_t> bytes) = 0;
  virtual Response write(uint32_t memory, uint64_t address, std::span<const uint8_t> bytes) = 0;
};

}  // namespace covenant::driver
