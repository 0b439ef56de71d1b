/// A processor's access to a device and to memories, for a driver that runs in an SC_THREAD of the platform.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <systemc>
#include <tlm>
#include <tlm_utils/simple_initiator_socket.h>
#include <vector>

#include "acg/registers/bus.h"

namespace covenant::sc {

/// The registers of one device and its interrupt line. Each access takes the time of its transaction, and
/// wait_interrupt that of the wait: call them in an SC_THREAD.
///
///     covenant::sc::HostRegisters registers("registers", 0x1000'0000);
///     registers.out.bind(router.in);
///     registers.interrupt(line);
///     auto driver = covenant::driver::Driver::open(registers, memory, machine);  // in the thread
class HostRegisters : public sc_core::sc_module, public driver::RegisterBus {
 public:
  tlm_utils::simple_initiator_socket<HostRegisters> out;
  sc_core::sc_in<bool> interrupt;

  /// `base`: address of the window, as `out` sees it.
  explicit HostRegisters(const sc_core::sc_module_name& name, uint64_t base = 0);

  driver::ReadResult read32(uint32_t address) override;
  driver::Response write32(uint32_t address, uint32_t value) override;
  bool wait_interrupt(std::chrono::nanoseconds timeout) override;

 private:
  driver::Response access(tlm::tlm_command command, uint32_t address, uint32_t& value);

  uint64_t base_;
};

/// The memories of a machine, each at an address of its own behind one socket.
class HostMemory : public sc_core::sc_module, public driver::MemoryBus {
 public:
  enum class Access : uint8_t {
    kAtOnce,  ///< by debug transactions, which take no time, for a program that is in memory before time begins
    kTimed,   ///< by bursts that share the memory with all other traffic: call in an SC_THREAD
  };

  tlm_utils::simple_initiator_socket<HostMemory> out;

  /// `bases`: address of byte 0 of each memory, by its number.
  HostMemory(const sc_core::sc_module_name& name, std::vector<uint64_t> bases, Access access = Access::kTimed);

  /// From the next access on.
  void set_access(Access access) { access_ = access; }

  driver::Response read(uint32_t memory, uint64_t address, std::span<uint8_t> bytes) override;
  driver::Response write(uint32_t memory, uint64_t address, std::span<const uint8_t> bytes) override;

 private:
  driver::Response move(tlm::tlm_command command, uint32_t memory, uint64_t address, std::span<uint8_t> bytes);
  driver::Response move_burst(tlm::tlm_generic_payload& burst);

  std::vector<uint64_t> bases_;
  Access access_;
};

}  // namespace covenant::sc
