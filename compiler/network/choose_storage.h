/// Where every tensor lies and in which way every convolution is done: chosen together, by cost.
#pragma once

#include <string>
#include <vector>

#include "compiler/codelet/codelet.h"
#include "compiler/network/network.h"
#include "compiler/schedule/layer_search.h"

namespace covenant::compiler {

/// The network with storages and lowerings for which the fewest cycles are predicted. Every tensor begins padded to
/// whole vectors, every layer as it is. Layer by layer, and until nothing changes, each of the layer's ways
/// (conv_lowerings.h) is tried with the storages that it needs, and dense channels for what it touches; the change that
/// saves most cycles in all layers that touch these tensors is made. A storage that one of them cannot take is none.
/// `wishes[i]`: the way in which layer i shall be done, or empty. The result follows it unless the layer has no such
/// way or its tensors cannot lie so; ask `NetworkLayer::lowering`. `declared`: codelets beside those of the library.
/// Deterministic: candidates are tried in the order of layers and ways, of equal ones the first is taken.
Network choose_storages(const Network& network, const std::vector<std::string>& wishes, LayerSearch& search,
                        const std::vector<codelet::Codelet>& declared = {});

}  // namespace covenant::compiler
