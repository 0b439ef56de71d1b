#include "runtime/boundary.h"

#include <cmath>
#include <cstring>

#include "acg/base/check.h"
#include "acg/base/rounding.h"

namespace covenant::runtime {
namespace {

uint64_t element_count(const std::vector<uint64_t>& shape) {
  uint64_t count = 1;
  for (const uint64_t extent : shape) count *= extent;
  return count;
}

/// Calls `visit(model index, memory index)` for every element: rank 4 lies in memory as NHWC, channels padded; rank 2
/// has padded rows; all others lie as they are.
template <typename Visit>
void for_each_element(const acg::TensorBinding& binding, Visit visit) {
  const std::vector<uint64_t>& shape = binding.shape;
  if (shape.size() != 4 && shape.size() != 2) {
    const uint64_t count = element_count(shape);
    for (uint64_t i = 0; i < count; ++i) visit(i, i);
    return;
  }
  const uint64_t rows = shape.size() == 4 ? shape[2] : 1;
  const uint64_t columns = shape.size() == 4 ? shape[3] : 1;
  const uint64_t together = binding.row_group;
  const uint64_t groups = ceil_divide(rows, together);
  const uint64_t pitch = binding.row_pixels > 0 ? binding.row_pixels : columns;
  uint64_t index = 0;
  for (uint64_t n = 0; n < shape[0]; ++n) {
    for (uint64_t c = 0; c < shape[1]; ++c) {
      for (uint64_t row = 0; row < rows; ++row) {
        const uint64_t first = (n * groups + row / together) * pitch + binding.left_pixels;
        for (uint64_t column = 0; column < columns; ++column) {
          visit(index++, ((first + column) * together + row % together) * binding.padded_channels + c);
        }
      }
    }
  }
}

}  // namespace

DType model_dtype(const acg::TensorBinding& binding) { return binding.host_quantizes ? DType::kF32 : binding.dtype; }

int32_t quantize(float value, const acg::Quantization& quantization, DType dtype) {
  const float lowest = dtype == DType::kU8 ? 0.0F : -128.0F;
  const float highest = dtype == DType::kU8 ? 255.0F : 127.0F;
  const float zero_point = static_cast<float>(quantization.zero_point);
  const float scaled = value / quantization.scale;
  // Clamped before rounding, against bounds that are whole numbers: the same as after it, and NaN fails the comparison.
  const float bounded = scaled > lowest - zero_point ? std::fmin(scaled, highest - zero_point) : lowest - zero_point;
  return static_cast<int32_t>(std::nearbyintf(bounded)) + quantization.zero_point;
}

float dequantize(int32_t stored, const acg::Quantization& quantization) {
  return static_cast<float>(stored - quantization.zero_point) * quantization.scale;
}

std::vector<uint8_t> to_memory(const acg::TensorBinding& binding, const Tensor& tensor) {
  check(tensor.dtype == model_dtype(binding) && tensor.shape == binding.shape, "a tensor that is not the binding's");
  check(tensor.bytes.size() == element_count(tensor.shape) * bytes(tensor.dtype),
        "a tensor has bytes for all elements");
  const uint64_t width = bytes(binding.dtype);
  std::vector<uint8_t> stored(size_in_memory(binding).value());
  for (uint64_t i = 0; i < stored.size(); i += width) std::memcpy(&stored[i], &binding.pad_value, width);
  for_each_element(binding, [&](uint64_t from, uint64_t to) {
    if (!binding.host_quantizes) {
      std::memcpy(&stored[to * width], &tensor.bytes[from * width], width);
      return;
    }
    float value = 0;
    std::memcpy(&value, &tensor.bytes[from * sizeof value], sizeof value);
    stored[to] = static_cast<uint8_t>(quantize(value, binding.quantization, binding.dtype));
  });
  return stored;
}

Tensor from_memory(const acg::TensorBinding& binding, std::span<const uint8_t> stored) {
  const uint64_t width = bytes(binding.dtype);
  Tensor tensor{binding.name, model_dtype(binding), binding.shape, {}};
  tensor.bytes.resize(element_count(binding.shape) * bytes(tensor.dtype));
  for_each_element(binding, [&](uint64_t to, uint64_t from) {
    if (!binding.host_quantizes) {
      std::memcpy(&tensor.bytes[to * width], &stored[from * width], width);
      return;
    }
    const int32_t element = binding.dtype == DType::kI8 ? int32_t{static_cast<int8_t>(stored[from])} : stored[from];
    const float value = dequantize(element, binding.quantization);
    std::memcpy(&tensor.bytes[to * sizeof value], &value, sizeof value);
  });
  return tensor;
}

}  // namespace covenant::runtime
