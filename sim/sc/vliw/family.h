/// The row of VLIW machines: programs of packets, run by a core.
#pragma once

#include "sim/sc/common/family.h"

namespace covenant::sim {

extern const Family kVliwFamily;

}  // namespace covenant::sim
