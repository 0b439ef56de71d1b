/// Turns the normalised graph into layers: chooses the codelet of each node, its tensors and its constants. Every
/// tensor gets a storage that suits all layers; movements become views or copies (tensors.h), flattening is folded into
/// weights, and quantisation at the boundary is left to the host.
#pragma once

#include <vector>

#include "acg/base/result.h"
#include "acg/graph/graph.h"
#include "compiler/codelet/codelet.h"
#include "compiler/network/network.h"
#include "compiler/srdfg/graph.h"

namespace covenant::compiler {

/// Precondition: `graph` has passed operators::verify_normalized. Errors: GEN0020 (an operation for which the library
/// has no codelet), GEN0021 (a movement of more dimensions than a copy has), GEN0022 (a scalar). `declared`: codelets
/// of operators besides those of the library; operations of their nodes have the codelet's name.
Result<Network> make_layers(const srdfg::Graph& graph, const acg::Machine& machine,
                            const std::vector<codelet::Codelet>& declared = {});

}  // namespace covenant::compiler
