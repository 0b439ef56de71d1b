/// The checks that every machine passes when it is loaded. Compiler and models rely on them.
#pragma once

#include "acg/base/result.h"
#include "acg/graph/graph.h"
#include "acg/graph/places.h"

namespace covenant::acg {

/// Runs all checks on a resolved machine, in the order of the text, and returns the first failure (codes ACG0004 and
/// ACG0013..ACG0028, see docs/reference/diagnostics/ACG.md). `places` gives source locations for the message.
Status validate(const Machine& machine, const Places& places = {});

}  // namespace covenant::acg
