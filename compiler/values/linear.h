/// What convolutions and products of matrices share: images with what lies around them, and what sums begin and end
/// with.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "compiler/values/kernel.h"
#include "compiler/values/rounding.h"

namespace covenant::compiler::values {

/// Where a convolution looks. Rows first.
struct Window {
  std::array<size_t, 2> kernel;
  std::array<size_t, 2> strides;
  std::array<size_t, 2> dilations;
  std::array<size_t, 2> before;  ///< padding above and to the left
  std::array<size_t, 2> image;   ///< without padding
  std::array<size_t, 2> padded;  ///< with it
  std::array<size_t, 2> outputs;

  size_t padded_columns() const { return padded[1]; }
  /// Where each position of the window begins in a padded image, in bytes.
  std::vector<uint32_t> positions(size_t channels) const;
};

/// Precondition: a conv.
Window window_of(const Problem& problem);

/// Images as unsigned bytes, with the byte of the zero point around them.
class PaddedImage {
 public:
  PaddedImage(const srdfg::Value& x, const Window& window);

  size_t images() const { return images_; }
  /// Of one image with what is around it.
  size_t bytes() const { return rows_ * columns_ * channels_; }
  /// Image `n` of the tensor at `x`: in its place if nothing is to do, else in `scratch`.
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

/// The zero point of u: of x, and 128 more if x is signed.
uint8_t zero_byte(const srdfg::Value& x);

/// `size` signed bytes, each 128 more, in `to`.
const uint8_t* flipped(const uint8_t* x, size_t size, uint8_t* to);

/// Of each output of a conv or gemm; zeros if there is none.
std::vector<int32_t> bias_of(const Problem& problem);

/// What becomes of the sums of a conv or gemm.
Requantizer requantizer_of(const Problem& problem);

/// A conv of as many groups as channels and outputs (depthwise.cpp).
Kernel depthwise(const Problem& problem);

}  // namespace covenant::compiler::values
