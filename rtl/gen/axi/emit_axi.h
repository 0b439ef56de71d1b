/// Generates the texts of a machine as a device: its top, and access to its AXI4 masters.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "rtl/gen/axi/axi_masters.h"

namespace covenant::rtl {

/// covenant_axi_top.sv: the top as a device, with registers that a host reads and writes. `memory_ports` are the
/// declarations of the off-chip ports of the top, each on a line of its own.
std::string emit_axi_top(const Plan& plan, const std::vector<AxiMaster>& masters, const std::string& memory_ports);
/// covenant_axi_ports.h: C++ access to the AXI4 masters of the Verilated device.
std::string emit_axi_port_access(const std::vector<AxiMaster>& masters);

/// A port of the device: direction, bits, name.
struct AxiSignal {
  bool is_input = false;
  uint32_t bits = 1;
  std::string_view name;
};

/// The declaration of a signal, on a line that ends in a comma; `prefix` precedes its name.
std::string declared(const AxiSignal& signal, std::string_view prefix);
/// The ports of all masters, declared.
std::string emit_axi_ports(const std::vector<AxiMaster>& masters);
/// covenant_axi_read and covenant_axi_write of every off-chip port, and what brings those of a shared master together.
std::string emit_axi_masters(const std::vector<AxiMaster>& masters);

}  // namespace covenant::rtl
