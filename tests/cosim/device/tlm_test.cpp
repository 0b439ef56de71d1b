/// The SystemC model as a device.
#include "runtime/driver/devices.h"
#include "sim/run/device.h"
#include "tests/cosim/device/conformance.h"
#include "tests/cosim/device/sc_device.h"

namespace covenant::driver::testing {

namespace {

class TlmDevice : public Device {
 public:
  explicit TlmDevice(std::unique_ptr<sim::Device> device) : device_(std::move(device)) {}

  RegisterBus& registers() override { return device_; }
  MemoryBus& memory() override { return device_; }
  bool interrupt() override { return device_.interrupt(); }
  Response write_bytes(uint32_t address, uint32_t value, uint32_t strobes) override {
    return device_.write_bytes(address, value, strobes);
  }

 private:
  SimulatedDevice device_;
};

Factory on_memory(const std::string& name, const std::string& memory, bool is_fixed,
                  const Programs& (*programs)() = on_engines) {
  return {name,
          [memory](const acg::Machine& machine, uint64_t memory_bytes) -> std::unique_ptr<Device> {
            auto device = sim::Device::open(machine, memory_bytes, memory);
            if (!device) throw std::runtime_error(render(device.error()));
            return std::make_unique<TlmDevice>(std::move(*device));
          },
          is_fixed, programs};
}

}  // namespace

Factory fixed_memory(const Programs& (*programs)()) { return on_memory("fixed", "fixed", true, programs); }

INSTANTIATE_TEST_SUITE_P(Tlm, Conformance,
                         ::testing::Values(on_memory("fixed", "fixed", true), on_memory("banked", "ddr4_2400", false),
                                           Factory{"asked", make_asked_device}),
                         [](const auto& one) { return one.param.name; });

/// A core with caches instead of engines.
INSTANTIATE_TEST_SUITE_P(TlmCore, Conformance,
                         ::testing::Values(on_memory("fixed", "fixed", true, on_core),
                                           on_memory("banked", "ddr4_2400", false, on_core),
                                           Factory{"asked", make_asked_device, true, on_core}),
                         [](const auto& one) { return one.param.name; });

}  // namespace covenant::driver::testing
