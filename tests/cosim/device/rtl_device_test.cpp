/// The Verilated device with the memories that the runtime has for it.
#include "runtime/driver/rtl_device.h"

#include "tests/cosim/device/conformance.h"
#include "tests/support/folders.h"

namespace covenant::driver::testing {

namespace {

class OwnDevice : public Device {
 public:
  explicit OwnDevice(std::unique_ptr<RtlDevice> device) : device_(std::move(device)) {}

  RegisterBus& registers() override { return *device_; }
  MemoryBus& memory() override { return *device_; }
  bool interrupt() override { return device_->interrupt(); }
  Response write_bytes(uint32_t address, uint32_t value, uint32_t strobes) override {
    return device_->write_bytes(address, value, strobes);
  }

 private:
  std::unique_ptr<RtlDevice> device_;
};

Factory on_memory(const std::string& name, const std::string& memory, bool is_fixed,
                  rtl::AxiMasters masters = rtl::AxiMasters::kPort) {
  return {name,
          [memory, masters](const acg::Machine& machine, uint64_t memory_bytes) -> std::unique_ptr<Device> {
            // More bursts than ever are under way within the machine's own bounds.
            auto device = RtlDevice::open(
                machine, memory_bytes, memory,
                {.cache = rtl_models_folder(), .quick = true, .checked = true, .masters = masters, .outstanding = 128});
            if (!device) throw std::runtime_error(render(device.error()));
            return std::make_unique<OwnDevice>(std::move(*device));
          },
          is_fixed};
}

}  // namespace

INSTANTIATE_TEST_SUITE_P(RtlDevice, Conformance,
                         ::testing::Values(on_memory("fixed", "fixed", true), on_memory("banked", "ddr4_2400", false),
                                           on_memory("shared", "ddr4_2400", false, rtl::AxiMasters::kOne)),
                         [](const auto& one) { return one.param.name; });

}  // namespace covenant::driver::testing
