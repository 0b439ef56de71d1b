/// Shapes of the results of windows on images.
#pragma once

#include <cstdint>

#include "compiler/srdfg/graph.h"

namespace covenant::compiler::operators {

/// True if windows of `kernel` make `y` of `x`, by the node's strides, pads and dilations.
bool window_shape(const srdfg::Node& node, const srdfg::Value& x, const srdfg::Value& y, uint64_t kernel_rows,
                  uint64_t kernel_columns);

}  // namespace covenant::compiler::operators
