/// Constants of f32 that a layer reads, given as they are or quantised.
#pragma once

#include <optional>
#include <vector>

#include "compiler/frontend/fused.h"
#include "compiler/srdfg/graph.h"

namespace covenant::compiler::frontend {

/// The elements of `id`, of type f32: an initialiser, or what a DequantizeLinear makes of one. `producer` is the node
/// that makes it, if one does. Nothing if it is neither, or quantised along a dimension that it does not have.
std::optional<std::vector<float>> float_constant(const srdfg::Graph& model, srdfg::ValueId id,
                                                 std::optional<size_t> producer);

/// Appends gains and offsets of a normalisation, `layer.reals`, to the inputs of `node`, whose first one is there.
/// Error: ONX0009 (they are not one for each element that is normalised).
Status add_reals(Normalizing& normalizing, const srdfg::Node& core, const Layer& layer, srdfg::Node& node);

}  // namespace covenant::compiler::frontend
