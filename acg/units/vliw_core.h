/// Row of `vliw_core`: a compute node that issues packets of words, from its caches.
#pragma once

#include "acg/graph/unit_info.h"

namespace covenant::acg::units {

extern const UnitInfo kVliwCore;

}  // namespace covenant::acg::units
