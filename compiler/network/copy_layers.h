/// Layers that copy a tensor.
#pragma once

#include <string>

#include "acg/graph/graph.h"
#include "compiler/network/network.h"

namespace covenant::compiler {

/// Copies one activation to another one of its shape. Precondition: `common_steps` goes through both of them.
NetworkLayer copy_of(const Network& network, const acg::Machine& machine, const std::string& name, size_t from,
                     size_t to);

/// How a copy sees one of its activations, "x" or "y". Where nothing cuts them off, its vectors are written one after
/// the other: past the end of each lie elements that come later, and past the last one there is room.
Storage copied_view(const Network& network, const NetworkLayer& copy, const std::string& name,
                    const acg::Machine& machine);

}  // namespace covenant::compiler
