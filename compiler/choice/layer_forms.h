/// Other forms of a layer, from which it takes the one with the fewest cycles unless it is fused (fusion.h).
#pragma once

#include <optional>
#include <vector>

#include "acg/graph/graph.h"
#include "compiler/codelet/codelet.h"
#include "compiler/layers/gathered_copies.h"
#include "compiler/network/network.h"

namespace covenant::compiler {

/// A layer and its bound codelet.
struct BoundForm {
  NetworkLayer layer;
  codelet::Codelet codelet;
  std::optional<Gather> gather{};  ///< of a copy: the layer has tensors of no network, and is not fused
};

/// Products that gather as a copy does; and, if layers are fused, the layer with other rows
/// (compiler/lowerings/pixel_vectors.h), which products may make.
std::vector<BoundForm> other_forms(const Network& network, const NetworkLayer& layer, const acg::Machine& machine,
                                   bool are_fused);

}  // namespace covenant::compiler
