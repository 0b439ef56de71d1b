#include "runtime/boundary.h"

#include <cmath>
#include <cstring>

#include "acg/base/check.h"

namespace covenant::runtime {
namespace {

uint64_t element_count(const std::vector<uint64_t>& shape) {
  uint64_t count = 1;
  for (const uint64_t extent : shape) count *= extent;
  return count;
}

/// Calls `visit(model index, memory index)` for every element, in the order of the model.
template <typename Visit>
void for_each_element(const acg::TensorBinding& binding, Visit visit) {
  const size_t rank = binding.shape.size();
  if (element_count(binding.shape) == 0) return;
  if (rank == 0) return visit(0, binding.offset);
  std::vector<std::vector<uint64_t>> steps(rank);  // of each dimension: elements to each of its indices
  for (size_t d = 0; d < rank; ++d) {
    for (uint64_t i = 0; i < binding.shape[d]; ++i) steps[d].push_back(acg::steps_to(binding.strides[d], i));
  }
  std::vector<uint64_t> index(rank);
  for (uint64_t number = 0;;) {
    uint64_t row = binding.offset;
    for (size_t d = 0; d + 1 < rank; ++d) row += steps[d][index[d]];
    for (const uint64_t step : steps[rank - 1]) visit(number++, row + step);
    size_t d = rank - 1;
    while (d > 0 && ++index[d - 1] == binding.shape[d - 1]) index[--d] = 0;
    if (d == 0) return;
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

void put(const acg::TensorBinding& binding, const Tensor& tensor, std::span<uint8_t> stored) {
  check(tensor.dtype == model_dtype(binding) && tensor.shape == binding.shape, "a tensor that is not the binding's");
  check(tensor.bytes.size() == element_count(tensor.shape) * bytes(tensor.dtype),
        "a tensor has bytes for all elements");
  const uint64_t width = bytes(binding.dtype);
  for_each_element(binding, [&](uint64_t from, uint64_t to) {
    if (!binding.host_quantizes) {
      std::memcpy(&stored[to * width], &tensor.bytes[from * width], width);
      return;
    }
    float value = 0;
    std::memcpy(&value, &tensor.bytes[from * sizeof value], sizeof value);
    stored[to] = static_cast<uint8_t>(quantize(value, binding.quantization, binding.dtype));
  });
}

std::vector<uint8_t> to_memory(const acg::TensorBinding& binding, const Tensor& tensor) {
  const uint64_t width = bytes(binding.dtype);
  std::vector<uint8_t> stored(size_in_memory(binding).value());
  for (uint64_t i = 0; i < stored.size(); i += width) std::memcpy(&stored[i], &binding.pad_value, width);
  put(binding, tensor, stored);
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
