#include "runtime/driver/devices.h"

#include <algorithm>
#include <optional>

namespace covenant::driver {

namespace {

/// `length` bytes from `address` on; nothing if they are not all there.
std::optional<std::span<uint8_t>> part_of(std::span<uint8_t> memory, uint64_t address, uint64_t length) {
  if (address > memory.size() || length > memory.size() - address) return std::nullopt;
  return memory.subspan(address, length);
}

}  // namespace

ReadResult SimulatedDevice::read32(uint32_t address) {
  const std::optional<uint32_t> value = device_->read32(address);
  return value ? ReadResult{Response::kOkay, *value} : ReadResult{Response::kDeviceError, 0};
}

Response SimulatedDevice::write_bytes(uint32_t address, uint32_t value, uint32_t strobes) {
  return device_->write32(address, value, strobes) ? Response::kOkay : Response::kDeviceError;
}

bool SimulatedDevice::wait_interrupt(std::chrono::nanoseconds timeout) {
  constexpr uint64_t kLongest = UINT64_MAX / 1000 / 2;  // half of what the simulation can count
  const auto nanoseconds = static_cast<uint64_t>(std::max<int64_t>(timeout.count(), 0));
  return device_->wait_interrupt(std::min(nanoseconds, kLongest) * 1000);
}

Response SimulatedDevice::read(uint32_t memory, uint64_t address, std::span<uint8_t> bytes) {
  const auto there = part_of(device_->memory(memory), address, bytes.size());
  if (!there) return Response::kNobody;
  std::copy(there->begin(), there->end(), bytes.begin());
  return Response::kOkay;
}

Response SimulatedDevice::write(uint32_t memory, uint64_t address, std::span<const uint8_t> bytes) {
  const auto there = part_of(device_->memory(memory), address, bytes.size());
  if (!there) return Response::kNobody;
  std::copy(bytes.begin(), bytes.end(), there->begin());
  return Response::kOkay;
}

}  // namespace covenant::driver
