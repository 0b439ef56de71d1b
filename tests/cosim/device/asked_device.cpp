#include <cstring>
#include <vector>

#include "offchip/clock.h"
#include "platform/memory.h"
#include "platform/report.h"
#include "sim/sc/accelerator.h"
#include "sim/sc/common/kernel.h"
#include "tests/cosim/device/platform_host.h"
#include "tests/cosim/device/sc_device.h"
#include "tests/cosim/device/window.h"

namespace covenant::driver::testing {
namespace {

/// Has the kernel only while it is used: others may simulate in between.
class AskedDevice final : public Device, RegisterBus, MemoryBus {
 public:
  AskedDevice(const acg::Machine& machine, uint64_t bytes)
      : accelerator_("accelerator", machine), host_("host"), line_("line"), memories_(machine.memories.size()) {
    host_.registers.bind(accelerator_.registers);
    host_.interrupt(line_);
    accelerator_.interrupt(line_);
    const uint64_t period = offchip::Clock::of_frequency(machine.clock_hertz).period;
    for (uint32_t index = 0; index < memories_.size(); ++index) {
      const acg::Memory& memory = machine.memories[index];
      if (memory.kind != acg::MemoryKind::kOffchip) continue;
      memories_[index] = std::make_unique<sc::Memory>(("memory_" + memory.name).c_str(), sc::Storage(bytes),
                                                      sc::time_of_picoseconds(memory.latency * period));
      for (auto* socket : accelerator_.memory_sockets(memory.name)) {
        windows_.push_back(std::make_unique<Window>(("window_" + std::to_string(windows_.size())).c_str(), 0));
        socket->bind(windows_.back()->in);
        windows_.back()->out.bind(memories_[index]->in);
      }
    }
    kernel_.leave();
  }

  ~AskedDevice() override { kernel_.enter(); }

  RegisterBus& registers() override { return *this; }
  MemoryBus& memory() override { return *this; }
  bool interrupt() override { return line_.read(); }
  Response write_bytes(uint32_t address, uint32_t value, uint32_t strobes) override {
    const Use use(kernel_);
    return host_.write_bytes(address, value, strobes);
  }

 private:
  class Use {
   public:
    explicit Use(sim::sc::Kernel& kernel) : kernel_(kernel) { kernel_.enter(); }
    ~Use() { kernel_.leave(); }
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;

   private:
    sim::sc::Kernel& kernel_;
  };

  ReadResult read32(uint32_t address) override {
    const Use use(kernel_);
    return host_.read32(address);
  }
  Response write32(uint32_t address, uint32_t value) override { return write_bytes(address, value, 0xF); }
  bool wait_interrupt(std::chrono::nanoseconds timeout) override {
    const Use use(kernel_);
    return host_.wait_interrupt(timeout);
  }

  Response read(uint32_t memory, uint64_t address, std::span<uint8_t> bytes) override {
    const std::span<uint8_t> all = memories_.at(memory)->bytes();
    if (address > all.size() || bytes.size() > all.size() - address) return Response::kNobody;
    std::memcpy(bytes.data(), all.data() + address, bytes.size());
    return Response::kOkay;
  }
  Response write(uint32_t memory, uint64_t address, std::span<const uint8_t> bytes) override {
    const std::span<uint8_t> all = memories_.at(memory)->bytes();
    if (address > all.size() || bytes.size() > all.size() - address) return Response::kNobody;
    std::memcpy(all.data() + address, bytes.data(), bytes.size());
    return Response::kOkay;
  }

  sim::sc::Kernel kernel_;  ///< before all modules
  sc::Accelerator accelerator_;
  PlatformHost host_;
  sc_core::sc_signal<bool> line_;
  std::vector<std::unique_ptr<sc::Memory>> memories_;
  std::vector<std::unique_ptr<Window>> windows_;
};

}  // namespace

std::unique_ptr<Device> make_asked_device(const acg::Machine& machine, uint64_t memory_bytes) {
  return std::make_unique<AskedDevice>(machine, memory_bytes);
}

}  // namespace covenant::driver::testing
