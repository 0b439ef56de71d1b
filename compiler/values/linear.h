/// Shared parts of convolutions and matrix products: padded images, and the start and end of sums.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "compiler/values/kernel.h"
#include "compiler/values/rounding.h"

namespace covenant::compiler::values {

/// The window of a convolution. Rows first, then columns.
struct Window {
  std::array<size_t, 2> kernel;
  std::array<size_t, 2> strides;
  std::array<size_t, 2> dilations;
  std::array<size_t, 2> before;  ///< padding above and to the left
  std::array<size_t, 2> image;   ///< without padding
  std::array<size_t, 2> padded;  ///< with padding
  std::array<size_t, 2> outputs;

  size_t padded_columns() const { return padded[1]; }
  /// Start offset in bytes of each position of the window in a padded image.
  std::vector<uint32_t> positions(size_t channels) const;
};

/// The window of a node. Precondition: a conv.
Window window_of(const Problem& problem);

/// Images as unsigned bytes, padded with the zero point.
class PaddedImage {
 public:
  PaddedImage(const srdfg::Value& x, const Window& window);

  size_t images() const { return images_; }
  /// Bytes of one padded image.
  size_t bytes() const { return rows_ * columns_ * channels_; }
  /// Image `n` of the tensor at `x`: in place if it needs no change, else copied to `scratch`.
  const uint8_t* of(const uint8_t* x, size_t n, uint8_t* scratch) const;

 private:
  size_t images_;
  size_t channels_;
  std::array<size_t, 2> image_;
  size_t rows_;
  size_t columns_;
  std::array<size_t, 2> before_;
  uint8_t zero_;
  bool is_signed_;
};

/// The zero point of the unsigned bytes: that of x, plus 128 if x is signed.
uint8_t zero_byte(const srdfg::Value& x);

/// Adds 128 to `size` signed bytes and writes them to `to`.
const uint8_t* flipped(const uint8_t* x, size_t size, uint8_t* to);

/// The bias of each output of a conv or gemm; zeros if it has none.
std::vector<int32_t> bias_of(const Problem& problem);

/// The requantisation of the sums of a conv or gemm.
Requantizer requantizer_of(const Problem& problem);

/// Kernel of a conv with as many groups as channels and outputs (depthwise.cpp).
Kernel depthwise(const Problem& problem);

}  // namespace covenant::compiler::values
