/// Row of `simd_array`: a compute node that works lane by lane, a loop nest a word.
#pragma once

#include "acg/graph/unit_info.h"

namespace covenant::acg::units {

extern const UnitInfo kSimdArray;

}  // namespace covenant::acg::units
