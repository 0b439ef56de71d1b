/// The codelet of a layer, bound, its tensors where their storage says.
#pragma once

#include "acg/base/result.h"
#include "compiler/codelet/codelet.h"
#include "compiler/network/network.h"

namespace covenant::compiler {

/// `bind`, and strides and offset for every tensor of `layer.views`, seen in the shape that the codelet gives it.
/// Surrogates with strides of their own keep them: the layer's params say where these lie.
/// Errors: those of `bind`; NET0020 (the codelet's shape cannot be seen in this storage).
Result<codelet::Codelet> bind_layer(const codelet::Codelet& codelet, const NetworkLayer& layer);

}  // namespace covenant::compiler
