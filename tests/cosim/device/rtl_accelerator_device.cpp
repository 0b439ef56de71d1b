#include <cstring>
#include <vector>

#include "platform/memory.h"
#include "rtl/sc/rtl_accelerator.h"
#include "sim/sc/common/kernel.h"
#include "tests/cosim/device/platform_host.h"
#include "tests/cosim/device/sc_device.h"
#include "tests/support/folders.h"

namespace covenant::driver::testing {
namespace {

/// Bursts of each master: more than ever are under way within the machine's own bounds.
constexpr uint32_t kManyBursts = 128;
/// Cycles of the machine's latency that the masters take: a store's passes a burst on once it has all its beats.
constexpr uint32_t kMasterCycles = 3 + 16;

/// Has the kernel only while it is used: others may simulate in between.
class RtlAcceleratorDevice final : public Device, RegisterBus, MemoryBus {
 public:
  RtlAcceleratorDevice(const acg::Machine& machine, uint64_t bytes, rtl::AxiMasters masters)
      : accelerator_("accelerator", machine, 0,
                     {.cache = rtl_models_folder(),
                      .quick = true,
                      .checked = true,
                      .masters = masters,
                      .outstanding = kManyBursts}),
        host_("host"),
        line_("line"),
        memories_(machine.memories.size()) {
    host_.registers.bind(accelerator_.registers);
    host_.interrupt(line_);
    accelerator_.interrupt(line_);
    for (uint32_t index = 0; index < memories_.size(); ++index) {
      const acg::Memory& memory = machine.memories[index];
      if (memory.kind != acg::MemoryKind::kOffchip) continue;
      const auto latency = static_cast<double>(memory.latency - kMasterCycles);
      memories_[index] = std::make_unique<sc::Memory>(("memory_" + memory.name).c_str(), sc::Storage(bytes),
                                                      sc_core::sc_time(latency, sc_core::SC_NS));
      for (auto* socket : accelerator_.memory_sockets(memory.name)) socket->bind(memories_[index]->in);
    }
    kernel_.leave();
  }

  ~RtlAcceleratorDevice() override { kernel_.enter(); }

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
    const std::span<uint8_t> there = bytes_of(memory);
    if (address > there.size() || bytes.size() > there.size() - address) return Response::kNobody;
    std::memcpy(bytes.data(), there.data() + address, bytes.size());
    return Response::kOkay;
  }
  Response write(uint32_t memory, uint64_t address, std::span<const uint8_t> bytes) override {
    const std::span<uint8_t> there = bytes_of(memory);
    if (address > there.size() || bytes.size() > there.size() - address) return Response::kNobody;
    std::memcpy(there.data() + address, bytes.data(), bytes.size());
    return Response::kOkay;
  }
  std::span<uint8_t> bytes_of(uint32_t memory) const {
    return memory < memories_.size() && memories_[memory] ? memories_[memory]->bytes() : std::span<uint8_t>{};
  }

  sim::sc::Kernel kernel_;  ///< before all modules
  sc::RtlAccelerator accelerator_;
  PlatformHost host_;
  sc_core::sc_signal<bool> line_;
  std::vector<std::unique_ptr<sc::Memory>> memories_;
};

}  // namespace

std::unique_ptr<Device> make_rtl_accelerator_device(const acg::Machine& machine, uint64_t memory_bytes) {
  return std::make_unique<RtlAcceleratorDevice>(machine, memory_bytes, rtl::AxiMasters::kPort);
}

std::unique_ptr<Device> make_shared_rtl_accelerator_device(const acg::Machine& machine, uint64_t memory_bytes) {
  return std::make_unique<RtlAcceleratorDevice>(machine, memory_bytes, rtl::AxiMasters::kOne);
}

}  // namespace covenant::driver::testing
