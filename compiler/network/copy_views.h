/// Views of layers that copy a tensor.
#pragma once

#include <string>

#include "acg/graph/graph.h"
#include "compiler/network/network.h"

namespace covenant::compiler {

/// Dimensions of a `copy`.
inline constexpr size_t kCopyDimensions = 8;

/// The steps by which a copy goes through both of its tensors. Precondition: there are such.
CommonSteps copied_steps(const Network& network, const NetworkLayer& copy);

/// The view that a copy has of one of its activations, "x" or "y". If vectors are not cut off, they are written one
/// after the other: the elements past the end of each are written later, and after the last one there is spare room.
Storage copied_view(const Network& network, const NetworkLayer& copy, const std::string& name,
                    const acg::Machine& machine);

}  // namespace covenant::compiler
