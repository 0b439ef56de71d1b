/// Row of `systolic_array`: a compute node that multiplies matrices, a tile at a time.
#pragma once

#include "acg/graph/unit_info.h"

namespace covenant::acg::units {

extern const UnitInfo kSystolicArray;

}  // namespace covenant::acg::units
