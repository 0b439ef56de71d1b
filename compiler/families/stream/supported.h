/// Checks whether the stream family supports a machine.
#pragma once

#include "acg/base/result.h"
#include "acg/graph/graph.h"

namespace covenant::compiler {

/// Code generation and the cost model support no feature of `acg/graph/features.h`; ACG0051 names the first one in use.
/// Memories with elements of less than a byte are accepted here: most layers cannot use their element types, and get a
/// diagnostic that says so.
Status check_supported(const acg::Machine& machine);
/// Checks whether programs can run on the machine. Errors: ACG0051 (memories with elements that programs do not have),
/// GEN0016 (nothing fetches their words, or a node executes none).
Status check_runnable(const acg::Machine& machine);

}  // namespace covenant::compiler
