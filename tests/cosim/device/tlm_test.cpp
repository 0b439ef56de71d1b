/// The SystemC model as a device.
#include <cstring>

#include "sim/device.h"
#include "tests/cosim/device/conformance.h"

namespace covenant::driver::testing {

namespace {

class TlmDevice : public Device, private RegisterBus, private MemoryBus {
 public:
  explicit TlmDevice(std::unique_ptr<sim::Device> device) : device_(std::move(device)) {}

  RegisterBus& registers() override { return *this; }
  MemoryBus& memory() override { return *this; }
  bool interrupt() override { return device_->interrupt(); }
  Response write_bytes(uint32_t address, uint32_t value, uint32_t strobes) override {
    return device_->write32(address, value, strobes) ? Response::kOkay : Response::kDeviceError;
  }

 private:
  ReadResult read32(uint32_t address) override {
    const std::optional<uint32_t> value = device_->read32(address);
    return value ? ReadResult{Response::kOkay, *value} : ReadResult{Response::kDeviceError, 0};
  }
  Response write32(uint32_t address, uint32_t value) override { return write_bytes(address, value, 0xF); }
  bool wait_interrupt(std::chrono::nanoseconds timeout) override {
    return device_->wait_interrupt(static_cast<uint64_t>(timeout.count()) * 1000);
  }
  Response read(uint32_t memory, uint64_t address, std::span<uint8_t> bytes) override {
    const std::span<uint8_t> there = device_->memory(memory);
    if (address > there.size() || bytes.size() > there.size() - address) return Response::kNobody;
    std::memcpy(bytes.data(), there.data() + address, bytes.size());
    return Response::kOkay;
  }
  Response write(uint32_t memory, uint64_t address, std::span<const uint8_t> bytes) override {
    const std::span<uint8_t> there = device_->memory(memory);
    if (address > there.size() || bytes.size() > there.size() - address) return Response::kNobody;
    std::memcpy(there.data() + address, bytes.data(), bytes.size());
    return Response::kOkay;
  }

  std::unique_ptr<sim::Device> device_;
};

std::unique_ptr<Device> make_tlm_device(const acg::Machine& machine, uint64_t memory_bytes) {
  auto device = sim::Device::open(machine, memory_bytes);
  if (!device) throw std::runtime_error(render(device.error()));
  return std::make_unique<TlmDevice>(std::move(*device));
}

}  // namespace

INSTANTIATE_TEST_SUITE_P(Tlm, Conformance, ::testing::Values(Factory{"tlm", make_tlm_device}),
                         [](const auto& one) { return one.param.name; });

}  // namespace covenant::driver::testing
