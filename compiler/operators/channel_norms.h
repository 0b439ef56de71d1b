/// Gives normalisations of images the form in which the channels of a pixel are read side by side.
///
/// before: reshape of an image to rows, each a group of channels; layer_norm with gains of rows; reshape to an image
///
/// after: channel_norm of the image, so that no element moves
#pragma once

#include <cstdint>

#include "compiler/srdfg/graph.h"

namespace covenant::compiler::operators {

/// Images of fewer channels than `least` stay rows. Values keep their ids. Precondition and postcondition:
/// verify_normalized.
srdfg::Graph with_channel_norms(srdfg::Graph graph, uint64_t least);

}  // namespace covenant::compiler::operators
