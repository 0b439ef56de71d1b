/// Layers of products of two activations: the product of stored values, and the sums of rows and columns that its zero
/// points ask for.
#pragma once

#include <string>

#include "acg/base/result.h"
#include "acg/graph/graph.h"
#include "compiler/network/network.h"
#include "compiler/network/tensors.h"
#include "compiler/srdfg/graph.h"

namespace covenant::compiler {

/// matmul_stored, row_sums, column_sums.
bool is_of_matmul(const srdfg::Node& node);

/// Gives `layer` the codelet, params and tensors of such a node. The second operand is read where it lies as constant
/// weights do: copied into tiles. Errors: GEN0021, and those of the passes that say how the machine reads it.
Status bind_matmul(const srdfg::Graph& graph, const srdfg::Node& node, const acg::Machine& machine, Network& network,
                   Tensors& tensors, NetworkLayer& layer);

/// How such a layer sees one of its activations: columns in T chunks of L, a number for each row L times.
Storage matmul_view(const NetworkLayer& layer, const std::string& name, const Storage& storage);

}  // namespace covenant::compiler
