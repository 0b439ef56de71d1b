/// Chooses the storage of every tensor and the lowering of every layer together, by cost.
#pragma once

#include <string>
#include <vector>

#include "compiler/codelet/codelet.h"
#include "compiler/lowerings/makers.h"
#include "compiler/network/network.h"
#include "compiler/schedule/layer_search.h"

namespace covenant::compiler {

/// The network with those storages and lowerings for which the fewest cycles are predicted. At first every tensor is
/// padded to whole vectors, and every layer is as it is. Layer by layer, and until nothing changes, each of the layer's
/// lowerings (compiler/lowerings) is tried with the storages that it needs, and dense channels for the tensors that it
/// uses; the change that saves the most cycles over all layers that use these tensors is made. Storages that one of
/// these layers cannot take are excluded. `wishes[i]`: the wanted lowering of layer i, or empty. The result follows it
/// unless the layer has no such lowering or its tensors cannot be laid out for it; see `NetworkLayer::lowering`.
/// `makers`: of lowerings. `declared`: codelets besides those of the library. Deterministic: candidates are tried in
/// the order of layers and lowerings, and among equals the first is taken.
Network choose_storages(const Network& network, const std::vector<std::string>& wishes, LayerSearch& search,
                        const LoweringMakers& makers, const std::vector<codelet::Codelet>& declared = {});

}  // namespace covenant::compiler
