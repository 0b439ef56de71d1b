/// Layers for operators that a user's folder of codelets declares.
#pragma once

#include <string>
#include <vector>

#include "compiler/codelet/codelet.h"
#include "compiler/layers/layer_builder.h"

namespace covenant::compiler {

/// Binds the codelet's tensors to the node's values, in order, and sets those of these params that the codelet has: C
/// (channels), P (all other elements), LOWEST, HIGHEST (of the stored dtype), ZERO (the zero point); `bind` refuses
/// others. Also sets the counts of `NetworkLayer`.
Status bind_declared(const codelet::Codelet& codelet, LayerBuilder& builder);

}  // namespace covenant::compiler
