/// The SystemC model of a machine as a device with its own memories, driven by a host outside of the simulation.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "acg/base/result.h"
#include "acg/graph/graph.h"

namespace covenant::sim {

/// Simulated time advances only while the host waits. Any number of devices may be open; each is used by one thread at
/// a time.
class Device {
 public:
  /// `memory_bytes`: of each off-chip memory, zeros. `memory`: their model, as offchip::make_model takes it.
  /// Errors: those of offchip::make_model; SIM0061, ACG0051 (there is no model of the machine).
  static Result<std::unique_ptr<Device>> open(const acg::Machine& machine, uint64_t memory_bytes,
                                              const std::string& memory = "fixed");
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;
  ~Device();

  /// Registers (docs/reference/registers.md): nothing, or false, if the access is refused. The lowest bit of `strobes`
  /// is for the lowest byte.
  std::optional<uint32_t> read32(uint64_t address);
  bool write32(uint64_t address, uint32_t value, uint32_t strobes = 0xF);
  /// Level of the interrupt line.
  bool interrupt() const;
  /// Advances time until the line is high (true) or `picoseconds` have passed (false).
  bool wait_interrupt(uint64_t picoseconds);

  /// All bytes of an off-chip memory, by its number; empty of any other.
  std::span<uint8_t> memory(uint32_t memory) const;

 private:
  class Platform;
  explicit Device(std::unique_ptr<Platform> platform);
  std::unique_ptr<Platform> platform_;
};

}  // namespace covenant::sim
