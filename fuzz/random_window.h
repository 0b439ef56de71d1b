/// Random windows of convolutions and pools, which fit their images.
#pragma once

#include <cstdint>
#include <vector>

#include "fuzz/draw.h"

namespace covenant::runtime {

/// Rows, then columns; of pads those before both, then those behind.
struct RandomWindow {
  std::vector<int64_t> kernel, strides, pads, dilations;
  std::vector<uint64_t> shape;  ///< size of the output image
};

/// A window on an image [N,C,H,W], with kernels up to `largest` and pads shorter than they reach.
RandomWindow random_window(Draw& draw, const std::vector<uint64_t>& image, int64_t largest, int64_t most_stride = 3,
                           int64_t most_gap = 1);

}  // namespace covenant::runtime
