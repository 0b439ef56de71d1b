/// Options for sharing AXI4 masters between the off-chip ports of a device.
#pragma once

#include <cstdint>

namespace covenant::rtl {

/// kPort: one of each off-chip port. kBus: one of each bus that edges share, and one of each other port. kOne: one.
enum class AxiMasters : uint8_t { kPort, kBus, kOne };

}  // namespace covenant::rtl
