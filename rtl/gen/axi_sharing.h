/// Which off-chip ports of a machine share an AXI4 master of its device.
#pragma once

#include <cstdint>

namespace covenant::rtl {

/// kPort: one of each off-chip port. kBus: one of each bus that edges share, and one of each other port. kOne: one.
enum class AxiMasters : uint8_t { kPort, kBus, kOne };

}  // namespace covenant::rtl
