/// Instruction lowering: other ways to lay a convolution onto matrix products than one kernel element at a time.
#pragma once

#include <string>
#include <vector>

#include "acg/graph/graph.h"
#include "compiler/network/network.h"
#include "compiler/network/tensor_uses.h"

namespace covenant::compiler {

/// One way to do a layer: which codelet, with which constants, and how its activations must lie in memory for it.
struct ConvLowering {
  std::string name;  ///< "plain", "rows", "rows by 2", "rows by 2 of 4 outputs"
  NetworkLayer layer;
  std::map<size_t, Storage> storages;  ///< of the activations that do not lie so yet, by index
};

/// The ways to do layer `index`, the plain one first. A convolution may take the window's columns and channels as one
/// vector of the reduction (`conv_rows`): an array of many rows is fed by 21 elements of a stem of 7 columns and 3
/// channels, not by 3. The input then lies without padded channels, with room for the pads beside each row; windows
/// overlap in memory and the DMA engine gathers them, each into vectors of its own. Where windows are several rows
/// apart and the host writes the input, that many rows may lie pixel beside pixel, so that one vector spans as many
/// rows of the kernel; kernels that do not fill the last or first of these groups have rows of zeros there. Where the
/// channels of the output fill the lanes only several times over, one vector may hold the channels of several
/// neighbouring outputs: their weights stand side by side, shifted by the stride. Pure shapes: which of them is best,
/// the cost model says. An activation that is flattened for a gemm keeps its storage. A layer without weights
/// gets ways without them. A machine without engines that move tiles has the plain way alone.
std::vector<ConvLowering> conv_lowerings(const Network& network, size_t index, const acg::Machine& machine);
/// The same for a network whose `uses` are known: one walk over it serves all its layers.
std::vector<ConvLowering> conv_lowerings(const Network& network, const TensorUses& uses, size_t index,
                                         const acg::Machine& machine);

}  // namespace covenant::compiler
