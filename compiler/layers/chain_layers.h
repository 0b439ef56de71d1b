/// Layers of chains of operations in f32.
#pragma once

#include "acg/base/result.h"
#include "compiler/layers/layer_builder.h"

namespace covenant::compiler {

/// All tensors of a float_chain have their dimensions in one order.
Status bind_chain(LayerBuilder& builder);

}  // namespace covenant::compiler
