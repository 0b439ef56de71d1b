#include "compiler/operators/windows.h"

#include <array>
#include <vector>

#include "compiler/srdfg/queries.h"
#include "compiler/srdfg/windows.h"

namespace covenant::compiler::operators {
namespace {

/// Number of windows of `kernel` that fit into `extent` padded elements at `stride`; 0 if none fits.
uint64_t windows(uint64_t extent, int64_t before, int64_t after, uint64_t kernel, int64_t dilation, int64_t stride) {
  const uint64_t padded = extent + static_cast<uint64_t>(before) + static_cast<uint64_t>(after);
  const uint64_t reach = (kernel - 1) * static_cast<uint64_t>(dilation) + 1;
  return padded < reach ? 0 : (padded - reach) / static_cast<uint64_t>(stride) + 1;
}

}  // namespace

bool window_shape(const srdfg::Node& node, const srdfg::Value& x, const srdfg::Value& y, uint64_t kernel_rows,
                  uint64_t kernel_columns) {
  const auto& pads = srdfg::integers_attribute(node, "pads");
  const auto& strides = srdfg::integers_attribute(node, "strides");
  const std::array<int64_t, 2> gaps = srdfg::dilations(node);
  return y.shape[0] == x.shape[0] &&
         y.shape[2] == windows(x.shape[2], pads[0], pads[2], kernel_rows, gaps[0], strides[0]) &&
         y.shape[3] == windows(x.shape[3], pads[1], pads[3], kernel_columns, gaps[1], strides[1]);
}

}  // namespace covenant::compiler::operators
