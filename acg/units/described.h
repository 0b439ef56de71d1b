/// Row of `described`: a compute node of which only the graph is known.
#pragma once

#include "acg/graph/unit_info.h"

namespace covenant::acg::units {

extern const UnitInfo kDescribed;

}  // namespace covenant::acg::units
