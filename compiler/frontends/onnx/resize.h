/// The elements that a Resize selects.
#pragma once

#include <cstdint>
#include <string>

#include "acg/base/diagnostic.h"
#include "compiler/srdfg/graph.h"

namespace covenant::compiler::frontend {

/// True if nearest neighbours along a dimension, `from` indices made `to`, take every element equally often, one after
/// the other. `transformation` and `rounding` are coordinate_transformation_mode and nearest_mode of the ONNX operator
/// specification of Resize; of the former, asymmetric, half_pixel and pytorch_half_pixel can be true.
bool repeats_each(uint64_t from, uint64_t to, const std::string& transformation, const std::string& rounding);

/// How a Resize selects elements: its attributes, or their defaults.
struct ResizeWay {
  std::string mode;
  std::string transformation;
  std::string rounding;
};

/// ONX0010: what keeps a Resize from being one that repeats elements. `sizes`: before and after.
Diagnostic unsupported_resize(const srdfg::Node& node, const std::string& sizes, const ResizeWay& way);

}  // namespace covenant::compiler::frontend
