/// The codelet of a layer, as it is written and as a machine runs it.
#pragma once

#include <vector>

#include "acg/base/result.h"
#include "acg/graph/graph.h"
#include "compiler/codelet/codelet.h"
#include "compiler/network/network.h"

namespace covenant::compiler {

/// The codelet of a layer: its own, that of its steps, one of `declared`, otherwise the library's. Errors: CDL0070,
/// NET0006.
Result<codelet::Codelet> codelet_of(const NetworkLayer& layer, const std::vector<codelet::Codelet>& declared);

/// The layer's codelet, bound, placed, routed, mapped and packed. Errors: CDL0070, and of these passes.
Result<codelet::Codelet> packed_codelet(const NetworkLayer& layer, const acg::Machine& machine,
                                        const std::vector<codelet::Codelet>& declared = {});

}  // namespace covenant::compiler
