/// Is this a machine that compiler and models can be built for? Everything after loading relies on the answer.
#pragma once

#include "acg/base/result.h"
#include "acg/graph/graph.h"
#include "acg/graph/places.h"

namespace covenant::acg {

/// All checks on a resolved machine, in the order of the text; the first that fails is the result (codes ACG0004 and
/// ACG0013..ACG0028, see docs/reference/diagnostics/ACG.md). `places` tells where parts stand, for the message.
Status validate(const Machine& machine, const Places& places = {});

}  // namespace covenant::acg
