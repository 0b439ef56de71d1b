/// The table of machine families that this model has.
#pragma once

#include "sim/sc/common/family.h"

namespace covenant::sim {

/// The family that `machine` belongs to. The last one of the table owns all machines that no other owns, and its
/// `check_runnable` reports what they lack.
const Family& family_of(const acg::Machine& machine);

}  // namespace covenant::sim
