/// Lowerings of a convolution that compute several adjacent outputs of a row at once.
#pragma once

#include <cstdint>
#include <vector>

#include "acg/graph/graph.h"
#include "compiler/lowerings/lowering.h"
#include "compiler/network/network.h"
#include "compiler/network/tensor_uses.h"

namespace covenant::compiler {

/// Lowerings of layer `index` in which the lanes hold the channels of 2, 4, ... adjacent outputs, or of as many as
/// there is room for: "2 outputs". All of them see one window, the union of theirs, and weights are zero where it is
/// not their own: the relaxation `band` of compiler/embedding/rules.h. For results of fewer channels than half the
/// lanes, whose rows are whole groups of outputs. Depends on shapes only; the cost model chooses among them.
std::vector<Lowering> adjacent_output_lowerings(const Network& network, const TensorUses& uses, size_t index,
                                                const acg::Machine& machine);

/// Numbers of adjacent outputs, from 2 on, whose channels the lanes have room for; none if the result may not lie
/// elsewhere. Precondition: the layer is a convolution.
std::vector<int64_t> outputs_in_lanes(const TensorUses& uses, const NetworkLayer& plain, const acg::Machine& machine);

/// The storage of the result with adjacent pixels, `outputs` or a multiple in a row; its present one if that has this
/// form.
Storage dense_outputs(const NetworkLayer& plain, const Activation& y, int64_t outputs);

/// Numbers of output channels, once for each of `outputs` neighbours.
Packing repeated_channels(const NetworkLayer& plain, int64_t outputs);

}  // namespace covenant::compiler
