// A Verilated device with off-chip memories behind the machine's own ports. Verilated by the name of the machine's own
// top, so that covenant_ports.h serves it.
#include <covenant_ports.h>
#include <cstring>
#include <verilated.h>

#include "rtl/cosim/offchip.h"
#include "tests/cosim/device/device_abi.h"
#include "tests/support/rtl/axi_lite.h"

namespace {

namespace ports = covenant_ports;
using covenant::testing::DeviceAnswer;
using covenant::testing::DeviceMemory;

constexpr uint64_t kOwed = 2048;  // cycles after which the memories owe no answer: more than any latency here

class Device final : public covenant::testing::VerilatedDevice {
 public:
  Device(const DeviceMemory* memories, uint32_t count)
      : memories_(memories, memories + count), top_(&context_), host_(top_, [this] { settle(); }, [this] { rise(); }) {
    for (uint32_t k = 0; k < count; ++k) {
      if (sizes_.size() <= memories[k].memory) sizes_.resize(memories[k].memory + 1);
      sizes_[memories[k].memory] = memories[k].bytes;
    }
    forget();
    top_.clk_i = 0;
    top_.rst_ni = 1;
    top_.eval();
    top_.rst_ni = 0;
    for (int k = 0; k < 3; ++k) cycle();
    top_.rst_ni = 1;
    cycle();
  }
  ~Device() override { top_.final(); }

  DeviceAnswer read(uint32_t address) override {
    const covenant::testing::AxiAnswer answer = host_.read(address);
    return {answer.response, answer.value};
  }
  uint32_t write(uint32_t address, uint32_t value, uint32_t strobes) override {
    return host_.write(address, value, strobes).response;
  }
  bool wait(uint64_t cycles) override {
    settle();
    for (uint64_t k = 0; k < cycles && top_.irq_o == 0; ++k) {
      rise();
      settle();
    }
    return top_.irq_o != 0;
  }
  void slow_down() override { is_slow_ = true; }

 private:
  void settle() {
    if (!is_served_) serve();
    is_served_ = true;
    top_.clk_i = 0;
    top_.eval();
  }
  void rise() {
    top_.clk_i = 1;
    top_.eval();
    is_served_ = false;
    ++cycle_;
  }
  void cycle() {
    settle();
    rise();
  }

  /// Off-chip memories and the ports in one cycle.
  void serve() {
    offchip_.settle(cycle_);
    top_.memory_fault_i = 0;
    ports::open(top_);
    ports::each_read(top_, [&](ports::ReadPort port) {
      port.asks = port.asks && check(port.port, port.memory, port.address, uint64_t{port.beats} * port.bytes);
      const bool holds_back = is_slow_ && cycle_ % 4 != 0;
      port.takes = port.takes && !holds_back;
      offchip_[port.memory].serve(port);
      if (holds_back) port.is_answered = 0;
    });
    ports::each_store(top_, [&](const ports::WritePort& port) {
      port.is_written = 1;  // in time for the last beat
      if (port.valid && check(port.port, port.memory, port.address, port.bytes)) {
        offchip_[port.memory].write(port.latency, port.address, port.data, port.strobe, port.bytes);
      }
    });
    top_.memory_idle_i = cycle_ - asked_ > kOwed;
    if (cycle_ - asked_ == kOwed) forget();
  }

  /// Drops answers that have waited for so long: they belong to a run that was stopped.
  void forget() {
    offchip_.drain();
    offchip_ = {};
    for (const DeviceMemory& memory : memories_) offchip_.add(memory.memory, memory.data, memory.bytes, ports::kPorts);
  }

  /// True if the requested bytes are in the memory; otherwise the engine gets an error.
  bool check(unsigned engine, unsigned memory, uint64_t address, uint64_t bytes) {
    asked_ = cycle_;
    if (address + bytes <= sizes_[memory]) return true;
    ports::bytes_of(top_.memory_fault_i)[engine / 8] |= static_cast<uint8_t>(1U << engine % 8);
    top_.memory_address_i = address;
    return false;
  }

  std::vector<DeviceMemory> memories_;
  VerilatedContext context_;
  Vcovenant_top top_;
  covenant::testing::AxiLite<Vcovenant_top> host_;
  covenant::rtl::OffchipMemories offchip_;
  std::vector<uint64_t> sizes_;
  uint64_t cycle_ = 0;
  uint64_t asked_ = 0;  ///< the cycle in which a memory was asked last
  bool is_slow_ = false;
  bool is_served_ = false;  ///< the memories have answered in this cycle
};

}  // namespace

extern "C" covenant::testing::VerilatedDevice* covenant_make_device(const DeviceMemory* memories, uint32_t count) {
  return new Device(memories, count);
}
