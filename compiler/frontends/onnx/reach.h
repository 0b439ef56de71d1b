/// Distances of stored elements from their zero points, which decide whether products of two of them fit 32 bits.
#pragma once

#include "compiler/frontends/onnx/fused.h"
#include "compiler/srdfg/graph.h"

namespace covenant::compiler::frontend {

/// Makes a `mul` that is not yet in the graph a product in f32 if its operands may reach products that 32 bits do not
/// hold: they would wrap. Elements of 8 bits never do. `core`: the model's operator.
void settle_reach(Normalizing& normalizing, const srdfg::Node& core, srdfg::Node& node);

}  // namespace covenant::compiler::frontend
