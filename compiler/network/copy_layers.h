/// Layers that copy a tensor.
#pragma once

#include <string>

#include "acg/graph/graph.h"
#include "compiler/network/network.h"

namespace covenant::compiler {

/// Copies one activation to another one of its shape. Precondition: `common_steps` goes through both of them.
NetworkLayer copy_of(const Network& network, const acg::Machine& machine, const std::string& name, size_t from,
                     size_t to);

/// The view that a copy has of one of its activations, "x" or "y". If vectors are not cut off, they are written one
/// after the other: the elements past the end of each are written later, and after the last one there is spare room.
Storage copied_view(const Network& network, const NetworkLayer& copy, const std::string& name,
                    const acg::Machine& machine);

}  // namespace covenant::compiler
