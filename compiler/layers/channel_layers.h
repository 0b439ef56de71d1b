/// Layers that normalise images by groups of channels, channels side by side.
#pragma once

#include <optional>

#include "compiler/layers/layer_builder.h"
#include "compiler/operators/channel_norms.h"

namespace covenant::compiler {

/// Images that are better normalised with their channels side by side than as rows; nothing if the machine has no
/// product of them or no engines that move tiles.
std::optional<operators::ChannelLimits> channel_limits(const acg::Machine& machine);

Status bind_channel_sums(LayerBuilder& builder);

/// Pixels scaled by numbers of channels, then by constants. Errors: GEN0021.
Status bind_normalize_channels(LayerBuilder& builder);
Status bind_scale_channels(LayerBuilder& builder);

}  // namespace covenant::compiler
