/// Layers on the rows of [G,M,K]: products of stored values of two activations, sums of rows and columns, and
/// normalisation of rows by such sums.
#pragma once

#include <string>

#include "acg/base/result.h"
#include "acg/graph/graph.h"
#include "compiler/network/network.h"
#include "compiler/network/tensors.h"
#include "compiler/srdfg/graph.h"

namespace covenant::compiler {

/// Gives `layer` the codelet, params and tensors of such a node. The second operand is read in the layout of constant
/// weights: copied into tiles. Precondition: srdfg::works_on_rows. Errors: GEN0021, and those of the passes that
/// determine how the machine reads it.
Status bind_rows(const srdfg::Graph& graph, const srdfg::Node& node, const acg::Machine& machine, Network& network,
                 Tensors& tensors, NetworkLayer& layer);

/// The view that such a layer has of one of its activations: columns in T chunks of L, except the first operand of a
/// product and of sums; one number per row is viewed L times.
Storage row_view(const NetworkLayer& layer, const std::string& name, const Storage& storage);

}  // namespace covenant::compiler
