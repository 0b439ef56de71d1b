/// Which elements a Resize takes.
#pragma once

#include <cstdint>
#include <string>

namespace covenant::compiler::frontend {

/// Do nearest neighbours along a dimension, `from` indices made `to`, take every element equally often, one after the
/// other? `transformation` and `rounding` are coordinate_transformation_mode (asymmetric, half_pixel or
/// pytorch_half_pixel) and nearest_mode of the ONNX operator specification of Resize.
bool repeats_each(uint64_t from, uint64_t to, const std::string& transformation, const std::string& rounding);

}  // namespace covenant::compiler::frontend
