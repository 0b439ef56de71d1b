/// The RTL of a machine as a device of the driver, for a host outside of the simulation.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "acg/base/result.h"
#include "acg/graph/graph.h"
#include "rtl/cosim/device.h"
#include "runtime/driver/axi_memories.h"
#include "runtime/driver/device.h"

namespace covenant::driver {

/// The Verilated covenant_axi_top between a host on AXI4-Lite and memories on AXI4. An access to a register takes some
/// cycles; the clock stands still between accesses.
///
/// With the memory `fixed`, the machine's latency is that of the whole path, of which AXI masters take one cycle
/// (reads) or 19 (writes): runs then take the cycles of the SystemC model, provided that the machine's latency is at
/// least that long and that enough bursts may be in progress. With every other memory, the cycles of the masters are
/// added, and so are waits for answers at ports of a shared master.
class RtlDevice : public Device {
 public:
  /// `memory_bytes`: of each off-chip memory, zeros. `memory`: their model, as offchip::make_model takes it.
  /// Errors: those of offchip::make_model and rtl::build_device.
  static Result<std::unique_ptr<RtlDevice>> open(const acg::Machine& machine, uint64_t memory_bytes,
                                                 const std::string& memory, const rtl::DeviceOptions& options);

  ReadResult read32(uint32_t address) override;
  Response write_bytes(uint32_t address, uint32_t value, uint32_t strobes) override;
  bool interrupt() const override { return pins_.host.interrupt; }

 private:
  RtlDevice(const acg::Machine& machine, std::shared_ptr<rtl::VerilatedDevice> device);
  void pass(uint64_t picoseconds) override;
  std::span<uint8_t> bytes_of(uint32_t memory) override { return memories_.bytes_of(memory); }
  void settle();
  void next();

  offchip::Clock clock_;
  std::shared_ptr<rtl::VerilatedDevice> device_;
  rtl::DevicePins& pins_;
  AxiMemories memories_;
  uint64_t cycle_ = 0;
};

}  // namespace covenant::driver
