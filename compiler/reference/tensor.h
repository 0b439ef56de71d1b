/// A dense tensor: the common data type of the reference operators and of everything that runs a model.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "acg/base/check.h"
#include "acg/base/dtype.h"

namespace covenant::compiler::reference {

struct Tensor {
  DType dtype = DType::kF32;
  std::vector<uint64_t> shape{};
  std::vector<uint8_t> bytes{};  ///< row-major, little-endian

  bool operator==(const Tensor&) const = default;
};

/// A tensor of zero bytes.
Tensor zeros(DType dtype, const std::vector<uint64_t>& shape);

/// The elements, widened. InternalError if the tensor is f32.
std::vector<int32_t> integers(const Tensor& tensor);
/// The elements of an f32 tensor. InternalError if it has another dtype.
std::vector<float> reals(const Tensor& tensor);

/// A tensor of integers or f32, each truncated to the dtype. InternalError if their number does not match the shape.
Tensor make_tensor(DType dtype, const std::vector<uint64_t>& shape, std::span<const int32_t> elements);
Tensor make_tensor(const std::vector<uint64_t>& shape, std::span<const float> elements);

}  // namespace covenant::compiler::reference
