/// Row of `dma`: the engine of an edge on which tiles move.
#pragma once

#include "acg/graph/unit_info.h"

namespace covenant::acg::units {

extern const UnitInfo kDma;

}  // namespace covenant::acg::units
