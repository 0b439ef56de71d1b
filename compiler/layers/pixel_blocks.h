/// Depthwise convolutions on blocks of pixels: one vector holds several pixels of few channels.
///
/// before: a convolution whose outputs see one channel each. A step of the array takes one element of the kernel for a
/// vector of channels, and of its matrix the diagonal alone is not 0
///
/// after: a copy of the image into blocks of pixels, a vector each; a convolution of blocks, whose windows are fewer
/// blocks than the kernel has elements, each matrix with an element of the kernel for every two pixels that it joins; a
/// copy of its blocks to where the result lies. In blocks of 2 x 2, a kernel of 7 x 7 takes 16 steps instead of 49.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "acg/graph/graph.h"
#include "compiler/layers/tensor_parts.h"
#include "compiler/network/network.h"

namespace covenant::compiler {

/// Blocks of the image begin at its first pixel. Blocks of the result may begin some rows and columns later, after a
/// partial block: where the padding is odd, each window then spans fewer blocks.
struct PixelBlock {
  uint64_t rows = 1, columns = 1;            ///< pixels
  uint64_t row_shift = 0, column_shift = 0;  ///< of the result's blocks
  bool operator==(const PixelBlock&) const = default;
};

/// How schedules call the convolution in such blocks: `blocks of 2 x 2`, `blocks of 2 x 2 from 1, 1` with a shift.
std::string name_of(const PixelBlock& block);

/// Blocks in which a layer may take fewer than `cycles`, by an estimate of steps and of copied runs, the best first;
/// none for a layer that is no depthwise convolution with single steps between windows, or if vectors of
/// the machine cannot be divided so.
std::vector<PixelBlock> pixel_blocks(const Network& network, const NetworkLayer& convolution,
                                     const acg::Machine& machine, uint64_t cycles);

/// The layers that do the work of the convolution, in their order. Their tensors are appended to the network. The
/// convolution among them keeps its name. Precondition: `block` is one of `pixel_blocks`.
std::vector<NetworkLayer> in_pixel_blocks(Network& network, const NetworkLayer& convolution, const PixelBlock& block,
                                          const acg::Machine& machine, TakenNames& names);

}  // namespace covenant::compiler
