/// Checks whether this model supports a machine.
#pragma once

#include "acg/base/result.h"
#include "acg/graph/graph.h"

namespace covenant::sim {

/// The units honour no feature of `acg/graph/features.h`; ACG0051 names the first that the machine has.
Status check_supported(const acg::Machine& machine);

}  // namespace covenant::sim
