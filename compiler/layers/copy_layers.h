/// Layers that copy a tensor.
#pragma once

#include <string>

#include "acg/graph/graph.h"
#include "compiler/network/network.h"

namespace covenant::compiler {

/// Copies one activation to another one of its shape. Precondition: `common_steps` goes through both of them.
NetworkLayer copy_of(const Network& network, const acg::Machine& machine, const std::string& name, size_t from,
                     size_t to);

}  // namespace covenant::compiler
