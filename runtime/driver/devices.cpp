#include "runtime/driver/devices.h"

#include <optional>

namespace covenant::driver {

ReadResult SimulatedDevice::read32(uint32_t address) {
  const std::optional<uint32_t> value = device_->read32(address);
  return value ? ReadResult{Response::kOkay, *value} : ReadResult{Response::kDeviceError, 0};
}

Response SimulatedDevice::write_bytes(uint32_t address, uint32_t value, uint32_t strobes) {
  return device_->write32(address, value, strobes) ? Response::kOkay : Response::kDeviceError;
}

}  // namespace covenant::driver
