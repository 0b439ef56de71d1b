/// Layers that work along one dimension, with the lanes along another: the parts of a softmax.
#pragma once

#include <vector>

#include "acg/base/result.h"
#include "compiler/layers/layer_builder.h"
#include "compiler/network/network.h"

namespace covenant::compiler {

Status bind_reduce_max(LayerBuilder& builder);
Status bind_softmax_sum(LayerBuilder& builder);
Status bind_softmax_quotient(LayerBuilder& builder);

}  // namespace covenant::compiler
