/// Layers on the rows of [G,M,K]: products of stored values of two activations, sums of rows and columns, and what
/// normalises rows by such sums.
#pragma once

#include <string>

#include "acg/base/result.h"
#include "acg/graph/graph.h"
#include "compiler/network/network.h"
#include "compiler/network/tensors.h"
#include "compiler/srdfg/graph.h"

namespace covenant::compiler {

/// Gives `layer` the codelet, params and tensors of such a node. The second operand is read where it lies as constant
/// weights do: copied into tiles. Precondition:
/// srdfg::works_on_rows. Errors: GEN0021, and those of the passes that say how the machine reads it.
Status bind_rows(const srdfg::Graph& graph, const srdfg::Node& node, const acg::Machine& machine, Network& network,
                 Tensors& tensors, NetworkLayer& layer);

/// How such a layer sees one of its activations: columns in T chunks of L, but for those of the first operand of a
/// product and of sums; a number for each row L times.
Storage row_view(const NetworkLayer& layer, const std::string& name, const Storage& storage);

}  // namespace covenant::compiler
