/// Binds the codelet of a layer and places its tensors according to their storage.
#pragma once

#include "acg/base/result.h"
#include "acg/graph/graph.h"
#include "compiler/codelet/codelet.h"
#include "compiler/network/network.h"

namespace covenant::compiler {

/// Like `bind`; in addition sets strides and offset for every tensor of `layer.views`, viewed in the codelet's shape.
/// Surrogates with strides of their own keep them: the layer's params determine them. Errors: those of `bind`; NET0020
/// (this storage cannot be viewed in the codelet's shape).
Result<codelet::Codelet> bind_layer(const codelet::Codelet& codelet, const NetworkLayer& layer);

/// The same, scaled as the machine does it (compiler/passes/scale.h).
Result<codelet::Codelet> scaled_layer(const codelet::Codelet& codelet, const NetworkLayer& layer,
                                      const acg::Machine& machine);

/// The same, with its constants in the memories that their readers reach. Errors: CDL0044 (verify_matrices.h) and
/// CDL0054, too.
Result<codelet::Codelet> bind_layer(const codelet::Codelet& codelet, const NetworkLayer& layer,
                                    const acg::Machine& machine);

}  // namespace covenant::compiler
