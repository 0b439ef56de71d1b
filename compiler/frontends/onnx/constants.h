/// f32 constants that a layer reads, given directly or quantised.
#pragma once

#include <optional>
#include <vector>

#include "compiler/frontends/onnx/fused.h"
#include "compiler/srdfg/graph.h"

namespace covenant::compiler::frontend {

/// The elements of `id`, of type f32: an initialiser, or what a DequantizeLinear makes of one. `producer` is the node
/// that makes it, if one does. Nothing if it is neither, or quantised along a dimension that it does not have.
std::optional<std::vector<float>> float_constant(const srdfg::Graph& model, srdfg::ValueId id,
                                                 std::optional<size_t> producer);

/// Appends gains and offsets of a normalisation, `layer.reals`, to the inputs of `node`, whose first input is set
/// already. Error: ONX0009 (they do not have one value for each normalised element).
Status add_reals(Normalizing& normalizing, const srdfg::Node& core, const Layer& layer, srdfg::Node& node);

}  // namespace covenant::compiler::frontend
