/// The interface of a simulated device in this process: registers, memories and interrupt line for a driver.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>

#include "acg/registers/bus.h"

namespace covenant::driver {

/// Registers, off-chip memories and interrupt line of one device, for a single user. Time advances only within calls.
class Device : public RegisterBus, public MemoryBus {
 public:
  /// Like write32, but writes only the bytes that `strobes` marks, the lowest bit for the lowest byte.
  virtual Response write_bytes(uint32_t address, uint32_t value, uint32_t strobes) = 0;
  /// Level of the line now.
  virtual bool interrupt() const = 0;

  Response write32(uint32_t address, uint32_t value) override { return write_bytes(address, value, 0xF); }
  bool wait_interrupt(std::chrono::nanoseconds timeout) override;
  /// Both access all of the bytes or none: if one does not exist, they return kNobody and do nothing.
  Response read(uint32_t memory, uint64_t address, std::span<uint8_t> bytes) override;
  Response write(uint32_t memory, uint64_t address, std::span<const uint8_t> bytes) override;

 private:
  /// Advances time until the line is high, at most by `picoseconds`.
  virtual void pass(uint64_t picoseconds) = 0;
  /// All bytes of an off-chip memory, by its number; empty of any other.
  virtual std::span<uint8_t> bytes_of(uint32_t memory) = 0;
};

}  // namespace covenant::driver
