/// A tensor at the model's boundary, in the model's own type and order.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "acg/base/dtype.h"

namespace covenant::runtime {

struct Tensor {
  std::string name;
  DType dtype = DType::kF32;
  std::vector<uint64_t> shape;  ///< NCHW, [N, C], ...
  std::vector<uint8_t> bytes;   ///< row-major, little-endian
  bool operator==(const Tensor&) const = default;
};

}  // namespace covenant::runtime
