/// Generates the parts of covenant_axi_top.sv that concern its AXI4 masters.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "rtl/gen/axi_masters.h"

namespace covenant::rtl {

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
