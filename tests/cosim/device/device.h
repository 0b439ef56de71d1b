/// A device under test of any kind, and the factory that makes it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <ostream>
#include <string>

#include "acg/graph/graph.h"
#include "acg/registers/bus.h"

namespace covenant::driver::testing {

/// Registers and memories of one device, after reset. Memory `m` has the requested number of bytes; an access of the
/// machine past them is answered with an error.
class Device {
 public:
  Device() = default;
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;
  virtual ~Device() = default;

  virtual RegisterBus& registers() = 0;
  virtual MemoryBus& memory() = 0;
  /// A write of the bytes that `strobes` marks, the lowest bit for the lowest byte.
  virtual Response write_bytes(uint32_t address, uint32_t value, uint32_t strobes) = 0;
  /// Level of the interrupt line now.
  virtual bool interrupt() = 0;
};

class Programs;
/// Programs of words for engines, and of packets for a core.
const Programs& on_engines();
const Programs& on_core();

struct Factory {
  std::string name;
  std::function<std::unique_ptr<Device>(const acg::Machine& machine, uint64_t memory_bytes)> make;
  bool is_fixed = true;  ///< its memories answer after the latency that the machine states
  const Programs& (*programs)() = on_engines;
};

// NOLINTNEXTLINE(readability-identifier-naming): GoogleTest finds it by its name
inline void PrintTo(const Factory& factory, std::ostream* out) { *out << factory.name; }

/// The Verilated covenant_host and covenant_top of a machine, without AXI masters, built once and kept in the build
/// tree.
std::unique_ptr<Device> make_rtl_device(const acg::Machine& machine, uint64_t memory_bytes);
/// The same with memories that give a beat to a port in every fourth cycle only.
std::unique_ptr<Device> make_slow_rtl_device(const acg::Machine& machine, uint64_t memory_bytes);

}  // namespace covenant::driver::testing
