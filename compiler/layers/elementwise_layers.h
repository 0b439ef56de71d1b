/// Layers that work element by element on stored numbers: add, mul, sub, div, max, min, lookup, clip, to_signed.
#pragma once

#include "compiler/layers/layer_builder.h"

namespace covenant::compiler {

/// Operands and result have their dimensions in one order; factors of channels are viewed as images beside an image.
Status bind_add(LayerBuilder& builder);
Status bind_mul(LayerBuilder& builder);
/// sub and div.
Status bind_real_pair(LayerBuilder& builder);
/// Operands quantised alike are compared as they are stored where the machine scales in fixed point.
Status bind_max(LayerBuilder& builder);
Status bind_min(LayerBuilder& builder);

Status bind_lookup(LayerBuilder& builder);
Status bind_clip(LayerBuilder& builder);
/// A table where the machine has tables from unsigned to signed elements.
Status bind_to_signed(LayerBuilder& builder);

}  // namespace covenant::compiler
