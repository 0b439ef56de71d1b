/// May this target take a machine at its word?
#pragma once

#include "acg/base/result.h"
#include "acg/graph/graph.h"

namespace covenant::compiler {

/// Code generation and the cost of schedules honour no feature of `acg/graph/features.h`; ACG0051 names the first.
/// Memories with parts of bytes are taken: most layers fit none of their element types, and those are named first.
Status check_supported(const acg::Machine& machine);
/// Programs have no elements of parts of a byte: ACG0051.
Status check_whole_bytes(const acg::Machine& machine);

}  // namespace covenant::compiler
