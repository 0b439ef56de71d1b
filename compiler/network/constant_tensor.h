/// A constant operand of a layer, before it is packed.
#pragma once

#include <cstdint>
#include <vector>

namespace covenant::compiler {

/// A constant tensor, row-major, little-endian, as a library codelet declares it (nothing padded or packed).
struct ConstantTensor {
  std::vector<uint64_t> shape;
  std::vector<uint8_t> data;
  bool operator==(const ConstantTensor&) const = default;
};

}  // namespace covenant::compiler
