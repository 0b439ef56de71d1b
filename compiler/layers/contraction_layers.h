/// Layers that multiply by constant weights: convolutions and products of matrices.
#pragma once

#include "compiler/layers/layer_builder.h"

namespace covenant::compiler {

Status bind_conv(LayerBuilder& builder);
Status bind_gemm(LayerBuilder& builder);

/// The same whose sums are the result.
Status bind_conv_sums(LayerBuilder& builder);
Status bind_gemm_sums(LayerBuilder& builder);

}  // namespace covenant::compiler
