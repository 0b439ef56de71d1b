/// May this target take a machine at its word?
#pragma once

#include "acg/base/result.h"
#include "acg/graph/graph.h"

namespace covenant::compiler {

/// Code generation and the cost of schedules honour no feature of `acg/graph/features.h`; ACG0051 names the first.
/// Memories with parts of bytes are taken: most layers fit none of their element types, and those are named first.
Status check_supported(const acg::Machine& machine);
/// Can programs run on the machine at all? Errors: ACG0051 (programs have no elements of parts of a byte), GEN0016
/// (nothing fetches their words, or a node runs none).
Status check_runnable(const acg::Machine& machine);

}  // namespace covenant::compiler
