/// From the normalised graph to layers: which codelet does each node, on what, with which constants. Every tensor gets
/// the storage that suits all layers; movements are views or copies (tensors.h), flattening is folded into weights,
/// quantisation at the boundary left to the host.
#pragma once

#include <vector>

#include "acg/base/result.h"
#include "acg/graph/graph.h"
#include "compiler/codelet/codelet.h"
#include "compiler/network/network.h"
#include "compiler/srdfg/graph.h"

namespace covenant::compiler {

/// Precondition: `graph` has passed srdfg::verify_normalized.
/// Fails: GEN0020 (an operation that no codelet of the library does), GEN0021 (a movement of more dimensions than a
/// copy has), GEN0022 (a scalar). `declared`: codelets of operators beside those of the library; their nodes are called
/// by the codelet's name.
Result<Network> make_layers(const srdfg::Graph& graph, const acg::Machine& machine,
                            const std::vector<codelet::Codelet>& declared = {});

}  // namespace covenant::compiler
