/// Layers on the windows of an image.
#pragma once

#include <cstdint>

#include "compiler/layers/layer_builder.h"

namespace covenant::compiler {

/// Counts of the images: N, IH, IW, OH, OW.
void set_image(LayerBuilder& builder);
/// Sizes, strides, dilations and pads of the windows: KH, KW, SH, SW, DH, DW, PT, PL.
void set_window(LayerBuilder& builder, uint64_t kernel_height, uint64_t kernel_width);

Status bind_max_pool(LayerBuilder& builder);
Status bind_average_pool(LayerBuilder& builder);
Status bind_global_average_pool(LayerBuilder& builder);

}  // namespace covenant::compiler
