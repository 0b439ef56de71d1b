/// The Verilated covenant_axi_top as a device under test.
#pragma once

#include "rtl/gen/axi/axi_sharing.h"
#include "tests/cosim/device/device.h"

namespace covenant::driver::testing {

/// Timing of the memories: cycles from an address to its first beat, and from a last beat to its answer. `outstanding`:
/// most bursts of each port, 0: the default of the RTL. Ports share masters according to `masters`.
struct AxiTiming {
  uint64_t read = 0;
  uint64_t write = 0;
  uint32_t outstanding = 0;
  rtl::AxiMasters masters = rtl::AxiMasters::kPort;
};

std::unique_ptr<Device> make_axi_device(const acg::Machine& machine, uint64_t memory_bytes, const AxiTiming& timing);

}  // namespace covenant::driver::testing
