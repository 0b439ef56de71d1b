#include "sim/run/device.h"

#include <array>
#include <cstring>
#include <systemc>
#include <tlm>
#include <tlm_utils/simple_initiator_socket.h>
#include <utility>
#include <vector>

#include "acg/base/failure.h"
#include "offchip/connect.h"
#include "platform/memory.h"
#include "platform/report.h"
#include "sim/sc/accelerator.h"
#include "sim/sc/common/kernel.h"
#include "sim/sc/families.h"

namespace covenant::sim {

namespace {

/// The host's side of registers and of the interrupt line.
class HostPort : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(HostPort);
  tlm_utils::simple_initiator_socket<HostPort> registers;
  sc_core::sc_in<bool> interrupt;

  explicit HostPort(const sc_core::sc_module_name& name)
      : sc_core::sc_module(name), registers("registers"), interrupt("interrupt") {
    SC_METHOD(wake);
    sensitive << interrupt.pos();
    dont_initialize();
  }

  bool access(tlm::tlm_command command, uint64_t address, uint32_t& value, uint32_t strobes) {
    std::array<unsigned char, sizeof(value)> bytes{}, enables{};
    std::memcpy(bytes.data(), &value, sizeof(value));
    for (uint32_t byte = 0; byte < enables.size(); ++byte) {
      enables[byte] = (strobes >> byte & 1U) != 0 ? TLM_BYTE_ENABLED : TLM_BYTE_DISABLED;
    }
    tlm::tlm_generic_payload payload;
    payload.set_command(command);
    payload.set_address(address);
    payload.set_data_ptr(bytes.data());
    payload.set_data_length(sizeof(value));
    payload.set_streaming_width(sizeof(value));
    payload.set_byte_enable_ptr(enables.data());
    payload.set_byte_enable_length(static_cast<unsigned>(enables.size()));
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    registers->b_transport(payload, delay);
    std::memcpy(&value, bytes.data(), sizeof(value));
    return payload.is_response_ok();
  }

 private:
  void wake() { sc_core::sc_pause(); }
};

}  // namespace

/// Owns the kernel and everything in it.
class Device::Platform {
 public:
  Platform(const acg::Machine& machine, uint64_t memory_bytes, const std::string& memory)
      : accelerator_("accelerator", machine), host_("host"), line_("line"), memories_(machine.memories.size()) {
    host_.registers.bind(accelerator_.registers);
    host_.interrupt(line_);
    accelerator_.interrupt(line_);
    for (uint32_t index = 0; index < memories_.size(); ++index) {
      if (machine.memories[index].kind != acg::MemoryKind::kOffchip) continue;
      memories_[index] = make_memory(machine, index, memory_bytes, memory);
      for (auto* socket : accelerator_.memory_sockets(machine.memories[index].name)) {
        socket->bind(memories_[index]->in);
      }
    }
    pass(0);
    kernel_.leave();
  }

  /// Entered whenever time advances or a module is accessed, and for good before this object is destroyed.
  sc::Kernel& kernel() { return kernel_; }

  HostPort& host() { return host_; }
  bool line() const { return line_.read(); }
  std::span<uint8_t> memory(uint32_t index) const {
    return memories_[index] ? memories_[index]->bytes() : std::span<uint8_t>{};
  }

  /// Lets pending events happen, then advances time, unless the line rises.
  void pass(uint64_t picoseconds) {
    settle();
    if (picoseconds > 0 && !line()) {
      const sc_core::sc_time end = sc_core::sc_time_stamp() + covenant::sc::time_of_picoseconds(picoseconds);
      sc_core::sc_start(end - sc_core::sc_time_stamp(), sc_core::SC_EXIT_ON_STARVATION);
      settle();
      // The next event is later than that: time advances all the same.
      if (!line() && sc_core::sc_pending_activity() && sc_core::sc_time_stamp() < end) {
        sc_core::sc_start(end - sc_core::sc_time_stamp(), sc_core::SC_RUN_TO_TIME);
      }
    }
    settle();
  }

 private:
  static std::unique_ptr<covenant::sc::Memory> make_memory(const acg::Machine& machine, uint32_t index, uint64_t bytes,
                                                           const std::string& memory) {
    const std::string name = "memory_" + machine.memories[index].name;
    covenant::sc::Storage storage(bytes);
    const offchip::Connection connection = offchip::connection_of(machine);
    if (memory == offchip::kFixedMemory) {
      const uint64_t latency = machine.memories[index].latency * connection.clock.period;
      return std::make_unique<covenant::sc::Memory>(name.c_str(), std::move(storage),
                                                    covenant::sc::time_of_picoseconds(latency));
    }
    auto model = offchip::make_model(memory, connection);
    if (!model) throw Failure{model.error()};
    return std::make_unique<covenant::sc::Memory>(name.c_str(), std::move(storage), std::move(*model));
  }

  static void settle() {
    while (sc_core::sc_pending_activity_at_current_time()) sc_core::sc_start(sc_core::SC_ZERO_TIME);
  }

  sc::Kernel kernel_;  ///< before all modules
  covenant::sc::Accelerator accelerator_;
  HostPort host_;
  sc_core::sc_signal<bool> line_;
  std::vector<std::unique_ptr<covenant::sc::Memory>> memories_;
};

Result<std::unique_ptr<Device>> Device::open(const acg::Machine& machine, uint64_t memory_bytes,
                                             const std::string& memory) {
  return guarded<std::unique_ptr<Device>>([&] {
    family_of(machine).check_runnable(machine);
    return std::unique_ptr<Device>(new Device(std::make_unique<Platform>(machine, memory_bytes, memory)));
  });
}

Device::Device(std::unique_ptr<Platform> platform) : platform_(std::move(platform)) {}

Device::~Device() { platform_->kernel().enter(); }

std::optional<uint32_t> Device::read32(uint64_t address) {
  const sc::Kernel::Use use(platform_->kernel());
  uint32_t value = 0;
  if (!platform_->host().access(tlm::TLM_READ_COMMAND, address, value, 0xF)) return std::nullopt;
  return value;
}

bool Device::write32(uint64_t address, uint32_t value, uint32_t strobes) {
  const sc::Kernel::Use use(platform_->kernel());
  const bool is_written = platform_->host().access(tlm::TLM_WRITE_COMMAND, address, value, strobes);
  platform_->pass(0);
  return is_written;
}

bool Device::interrupt() const { return platform_->line(); }

bool Device::wait_interrupt(uint64_t picoseconds) {
  const sc::Kernel::Use use(platform_->kernel());
  platform_->pass(picoseconds);
  return platform_->line();
}

std::span<uint8_t> Device::memory(uint32_t memory) const { return platform_->memory(memory); }

}  // namespace covenant::sim
