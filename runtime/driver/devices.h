/// The SystemC model as a device of the driver, for a host outside of the simulation.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "runtime/driver/device.h"
#include "sim/run/device.h"

namespace covenant::driver {

/// Registers and memories of a simulated device. Register accesses take no time; wait_interrupt lets it pass.
///
///     driver::SimulatedDevice device(std::move(*sim::Device::open(machine, 1 << 20)));
///     Result<driver::Driver> driver = driver::Driver::open(device, device, machine);
class SimulatedDevice : public Device {
 public:
  /// Precondition: there is a device.
  explicit SimulatedDevice(std::unique_ptr<sim::Device> device) : device_(std::move(device)) {}

  ReadResult read32(uint32_t address) override;
  Response write_bytes(uint32_t address, uint32_t value, uint32_t strobes) override;
  bool interrupt() const override { return device_->interrupt(); }

 private:
  void pass(uint64_t picoseconds) override { device_->wait_interrupt(picoseconds); }
  std::span<uint8_t> bytes_of(uint32_t memory) override { return device_->memory(memory); }

  std::unique_ptr<sim::Device> device_;
};

}  // namespace covenant::driver
