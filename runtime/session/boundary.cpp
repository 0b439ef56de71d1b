#include "runtime/session/boundary.h"

#include <cmath>
#include <cstring>

#include "acg/base/check.h"
#include "acg/base/packed_elements.h"

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
  std::vector<std::vector<uint64_t>> steps(rank);  // per dimension: offset in elements of each of its indices
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

DType held_as(DType dtype) {
  if (dtype == DType::kI4) return DType::kI8;
  return dtype == DType::kU4 ? DType::kU8 : dtype;
}

bool holds(DType given, DType wanted) { return given == wanted || given == held_as(wanted); }

DType model_dtype(const acg::TensorBinding& binding) {
  return binding.host_quantizes ? DType::kF32 : binding.model_dtype.value_or(binding.dtype);
}

int32_t quantize(float value, const acg::Quantization& quantization, DType dtype) {
  const auto least = static_cast<float>(lowest(dtype));
  const auto most = static_cast<float>(highest(dtype));
  const float zero_point = static_cast<float>(quantization.zero_point);
  const float scaled = value / quantization.scale;
  // Clamped before rounding, against bounds that are whole numbers: the same as after it, and NaN fails the comparison.
  const float bounded = scaled > least - zero_point ? std::fmin(scaled, most - zero_point) : least - zero_point;
  return static_cast<int32_t>(std::nearbyintf(bounded)) + quantization.zero_point;
}

float dequantize(int32_t stored, const acg::Quantization& quantization) {
  return static_cast<float>(stored - quantization.zero_point) * quantization.scale;
}

void put(const acg::TensorBinding& binding, const Tensor& tensor, std::span<uint8_t> stored) {
  check(holds(tensor.dtype, model_dtype(binding)) && tensor.shape == binding.shape,
        "a tensor that is not the binding's");
  check(tensor.bytes.size() == element_count(tensor.shape) * bytes(tensor.dtype),
        "a tensor has bytes for all elements");
  const DType quantized = binding.model_dtype.value_or(binding.dtype);
  for_each_element(binding, [&](uint64_t from, uint64_t to) {
    if (!binding.host_quantizes) {
      set_packed(binding.dtype, stored, to, get_packed(held_as(tensor.dtype), tensor.bytes, from));
      return;
    }
    float value = 0;
    std::memcpy(&value, &tensor.bytes[from * sizeof value], sizeof value);
    set_packed(binding.dtype, stored, to, quantize(value, binding.quantization, quantized));
  });
}

std::vector<uint8_t> to_memory(const acg::TensorBinding& binding, const Tensor& tensor) {
  std::vector<uint8_t> stored(size_in_memory(binding).value());
  for (uint64_t i = 0; i < binding.elements; ++i) set_packed(binding.dtype, stored, i, binding.pad_value);
  put(binding, tensor, stored);
  return stored;
}

Tensor from_memory(const acg::TensorBinding& binding, std::span<const uint8_t> stored) {
  Tensor tensor{binding.name, model_dtype(binding), binding.shape, {}};
  tensor.bytes.resize(element_count(binding.shape) * bytes(tensor.dtype));
  const DType whole = held_as(tensor.dtype);  // unpacked elements take whole bytes
  for_each_element(binding, [&](uint64_t to, uint64_t from) {
    const int32_t element = get_packed(binding.dtype, stored, from);
    if (!binding.host_quantizes) {
      set_packed(whole, tensor.bytes, to, element);
      return;
    }
    const float value = dequantize(element, binding.quantization);
    std::memcpy(&tensor.bytes[to * sizeof value], &value, sizeof value);
  });
  return tensor;
}

}  // namespace covenant::runtime
