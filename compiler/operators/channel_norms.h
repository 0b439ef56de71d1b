/// Gives normalisations of images the form in which the channels of a pixel are read side by side.
///
/// before: reshape of an image to rows, each a group of channels; layer_norm with gains of rows; reshape to an image
///
/// after: channel_norm of the image, so that no element moves
#pragma once

#include <cstdint>

#include "compiler/srdfg/graph.h"

namespace covenant::compiler::operators {

/// Images that are normalised with their channels side by side; others stay rows.
struct ChannelLimits {
  uint64_t fewest = 1;           ///< channels of an image
  uint64_t widest = UINT64_MAX;  ///< channels of a group
};

/// Values keep their ids. Precondition and postcondition: verify_normalized.
srdfg::Graph with_channel_norms(srdfg::Graph graph, const ChannelLimits& limits);

}  // namespace covenant::compiler::operators
