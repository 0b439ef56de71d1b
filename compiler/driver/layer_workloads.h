/// Workloads of the layers of a network, for searches that embed them into instructions.
#pragma once

#include <string>
#include <vector>

#include "acg/base/result.h"
#include "acg/graph/graph.h"
#include "compiler/codelet/codelet.h"
#include "compiler/embedding/workload.h"
#include "compiler/network/network.h"

namespace covenant::compiler {

/// The workload of the layer's codelet, scaled as the machine does it, that most of its instances belong to. What the
/// layer holds as constants is constant. `declared`: codelets besides those of the library. Errors: those of
/// `codelet_of`, `scaled_layer` and `embedding::workload_of`.
Result<embedding::Workload> workload_of_layer(const NetworkLayer& layer, const acg::Machine& machine,
                                              const std::vector<codelet::Codelet>& declared);

}  // namespace covenant::compiler
