/// The Verilated covenant_axi_top as a device under test.
#pragma once

#include "rtl/gen/axi_sharing.h"
#include "tests/cosim/device/device.h"

namespace covenant::driver::testing {

/// Of the memories: cycles from that of an address to that of its first beat, and from that of a last beat to that of
/// its answer. `outstanding`: bursts of each port, 0: as the RTL has it. Ports share masters as `masters` says.
struct AxiTiming {
  uint64_t read = 0;
  uint64_t write = 0;
  uint32_t outstanding = 0;
  rtl::AxiMasters masters = rtl::AxiMasters::kPort;
};

std::unique_ptr<Device> make_axi_device(const acg::Machine& machine, uint64_t memory_bytes, const AxiTiming& timing);

}  // namespace covenant::driver::testing
