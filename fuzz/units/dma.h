/// Row of `dma`.
#pragma once

#include "fuzz/random_unit.h"

namespace covenant::runtime::units {

extern const RandomUnit kDma;

}  // namespace covenant::runtime::units
