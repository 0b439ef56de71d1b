#include "runtime/driver/device.h"

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

bool Device::wait_interrupt(std::chrono::nanoseconds timeout) {
  constexpr uint64_t kLongest = UINT64_MAX / 1000 / 2;  // half of what a simulation can count
  const auto nanoseconds = static_cast<uint64_t>(std::max<int64_t>(timeout.count(), 0));
  pass(std::min(nanoseconds, kLongest) * 1000);
  return interrupt();
}

Response Device::read(uint32_t memory, uint64_t address, std::span<uint8_t> bytes) {
  const auto there = part_of(bytes_of(memory), address, bytes.size());
  if (!there) return Response::kNobody;
  std::copy(there->begin(), there->end(), bytes.begin());
  return Response::kOkay;
}

Response Device::write(uint32_t memory, uint64_t address, std::span<const uint8_t> bytes) {
  const auto there = part_of(bytes_of(memory), address, bytes.size());
  if (!there) return Response::kNobody;
  std::copy(bytes.begin(), bytes.end(), there->begin());
  return Response::kOkay;
}

}  // namespace covenant::driver
