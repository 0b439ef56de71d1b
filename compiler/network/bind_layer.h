/// The codelet of a layer, bound, its tensors where their storage says.
#pragma once

#include "acg/base/result.h"
#include "acg/graph/graph.h"
#include "compiler/codelet/codelet.h"
#include "compiler/network/network.h"

namespace covenant::compiler {

/// `bind`, and strides and offset for every tensor of `layer.views`, seen in the shape that the codelet gives it.
/// Surrogates with strides of their own keep them: the layer's params say where these lie.
/// Errors: those of `bind`; NET0020 (the codelet's shape cannot be seen in this storage).
Result<codelet::Codelet> bind_layer(const codelet::Codelet& codelet, const NetworkLayer& layer);

/// The same, scaled as the machine does it, with its constants in the memories that their readers reach. Error:
/// CDL0054, too.
Result<codelet::Codelet> bind_layer(const codelet::Codelet& codelet, const NetworkLayer& layer,
                                    const acg::Machine& machine);

}  // namespace covenant::compiler
