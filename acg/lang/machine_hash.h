/// A hash by which a device identifies its machine.
#pragma once

#include <cstdint>

#include "acg/graph/graph.h"

namespace covenant::acg {

/// Equal for equal machines, and almost always different for others: FNV-1a of the machine's printed text.
uint64_t machine_hash(const Machine& machine);

}  // namespace covenant::acg
