/// Lowerings of a convolution to matrix products by rows of its kernel.
#pragma once

#include <vector>

#include "acg/graph/graph.h"
#include "compiler/lowerings/lowering.h"
#include "compiler/network/network.h"
#include "compiler/network/tensor_uses.h"

namespace covenant::compiler {

/// Lowerings of layer `index` to `conv_rows`: "rows", "rows by 2", "rows by 2 of 4 outputs", .... The window's columns
/// and channels are one vector of the reduction: an array of many rows then gets 21 elements at once of a stem with 7
/// columns and 3 channels, instead of 3. The input is stored without padded channels, with room for the pads beside
/// each row; windows overlap in memory, and the DMA engine gathers them, each into vectors of its own. If windows are
/// several rows apart and the host writes the input, that many rows may be interleaved pixel by pixel, so that one
/// vector spans as many rows of the kernel; kernels that do not fill the last or first of these groups have rows of
/// zeros there. One vector may hold the channels of several adjacent outputs, 2, 4, ..., or as many as the lanes have
/// room for: their weights are side by side, shifted by the stride. Depends on shapes only; the cost model chooses
/// among them. An activation that is flattened for a gemm keeps its storage. A machine without engines that move tiles
/// has none.
std::vector<Lowering> conv_row_lowerings(const Network& network, const TensorUses& uses, size_t index,
                                         const acg::Machine& machine);

}  // namespace covenant::compiler
