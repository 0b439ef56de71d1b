/// The row of stream machines: programs of words, run by engines.
#pragma once

#include "sim/sc/common/family.h"

namespace covenant::sim {

extern const Family kStreamFamily;

}  // namespace covenant::sim
