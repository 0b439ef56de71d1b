/// The sliding window of a convolution or a pool, its ONNX attributes and their defaults resolved.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "acg/base/result.h"
#include "compiler/srdfg/graph.h"

namespace covenant::compiler::frontend {

struct Window {
  std::array<int64_t, 2> kernel{};         ///< rows, columns
  std::array<int64_t, 2> strides{};        ///< rows, columns
  std::array<int64_t, 4> pads{};           ///< top, left, bottom, right; what ceil_mode adds to the end among them
  std::array<int64_t, 2> dilations{1, 1};  ///< rows, columns: from one element of the kernel to the next
  std::array<uint64_t, 2> output{};        ///< rows, columns
  std::array<int64_t, 2> added{};          ///< rows, columns that ceil_mode adds to the pads at the end
};

/// [N,C,W] as an image of one row, [N,C,1,W]; any other shape as it is.
std::vector<uint64_t> as_image(const std::vector<uint64_t>& shape);

/// The window of a convolution or a pool over `given`, [N,C,H,W] or [N,C,W]: that of `as_image`. For a
/// convolution `kernel` is the weights' [KH,KW] or [KW] (kernel_shape, if given, must agree); for a pool it is empty
/// and kernel_shape is needed. `auto_pad` and the defaults are those of the ONNX operator specification. ONX0010
/// refuses storage orders other than the default, and other ranks, ONX0009 what contradicts itself.
Result<Window> window_of(const srdfg::Node& node, const std::vector<uint64_t>& given,
                         const std::vector<uint64_t>& kernel);

}  // namespace covenant::compiler::frontend
