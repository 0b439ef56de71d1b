/// A number by which a device says which machine it is.
#pragma once

#include <cstdint>

#include "acg/graph/graph.h"

namespace covenant::acg {

/// Equal for equal machines, and hardly ever for others: FNV-1a of the machine as text of its own.
uint64_t machine_hash(const Machine& machine);

}  // namespace covenant::acg
