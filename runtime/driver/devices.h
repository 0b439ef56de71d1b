/// The SystemC model as a device of the driver, for a host outside of the simulation.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "acg/registers/bus.h"
#include "sim/device.h"

namespace covenant::driver {

/// Registers and memories of a simulated device. Register accesses take no time; wait_interrupt lets it pass.
///
///     driver::SimulatedDevice device(std::move(*sim::Device::open(machine, 1 << 20)));
///     Result<driver::Driver> driver = driver::Driver::open(device, device, machine);
class SimulatedDevice : public RegisterBus, public MemoryBus {
 public:
  /// Precondition: there is a device.
  explicit SimulatedDevice(std::unique_ptr<sim::Device> device) : device_(std::move(device)) {}

  ReadResult read32(uint32_t address) override;
  Response write32(uint32_t address, uint32_t value) override { return write_bytes(address, value, 0xF); }
  /// Only the bytes that `strobes` marks, the lowest bit for the lowest byte.
  Response write_bytes(uint32_t address, uint32_t value, uint32_t strobes);
  bool wait_interrupt(std::chrono::nanoseconds timeout) override;
  /// Level of the line now.
  bool interrupt() const { return device_->interrupt(); }

  Response read(uint32_t memory, uint64_t address, std::span<uint8_t> bytes) override;
  Response write(uint32_t memory, uint64_t address, std::span<const uint8_t> bytes) override;

 private:
  std::unique_ptr<sim::Device> device_;
};

}  // namespace covenant::driver
