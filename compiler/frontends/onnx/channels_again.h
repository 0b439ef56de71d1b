/// Splits weights that need more bits than an element has: for convolutions with few channels, which read those
/// channels again.
#pragma once

#include <string>
#include <vector>

#include "compiler/frontends/onnx/fused.h"

namespace covenant::compiler::frontend {

/// A channel of the input that a part of the weights after the first one multiplies by more than 0.
struct ChannelAgain {
  size_t part = 0;
  uint64_t channel = 0;
};

/// Those of weights [O,C,KH,KW], the sum of `parts`.
std::vector<ChannelAgain> channels_again(const std::vector<srdfg::Value>& parts);

/// The first part, and the slices of the others for `again` as further channels of the input.
srdfg::Value weights_for(const std::vector<srdfg::Value>& parts, const std::vector<ChannelAgain>& again);

/// The image `id` with those channels again after its own, by a convolution of one pixel that multiplies each by 1.
srdfg::ValueId image_with(Normalizing& normalizing, const std::string& name, srdfg::ValueId id, DType weights,
                          const std::vector<ChannelAgain>& again);

}  // namespace covenant::compiler::frontend
