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

/// `quantize`, in operations that every processor has for several numbers at a time.
inline int32_t nearest(float value, const acg::Quantization& quantization, DType dtype) {
  const auto least = static_cast<float>(lowest(dtype));
  const auto most = static_cast<float>(highest(dtype));
  const float zero_point = static_cast<float>(quantization.zero_point);
  const float scaled = value / quantization.scale;
  // Clamped before rounding, against bounds that are whole numbers: the same as after it, and NaN fails the comparison.
  const float above = scaled > least - zero_point ? scaled : least - zero_point;
  const float bounded = above < most - zero_point ? above : most - zero_point;
  if (!is_narrow(dtype)) return static_cast<int32_t>(std::nearbyintf(bounded)) + quantization.zero_point;
  // From 2^23 to 2^24 floats are whole numbers: the sum is rounded to one, half to even.
  constexpr float kWhole = 12582912.0F;  // 1.5 * 2^23
  return static_cast<int32_t>((bounded + kWhole) - kWhole) + quantization.zero_point;
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

/// Calls `visit` with an element of the type that memory holds, so that loops over them have no case in them. Not for
/// elements of less than a byte.
template <typename Visit>
void with_type_of(DType dtype, Visit visit) {
  const bool is_signed = info(dtype).is_signed;
  if (bits(dtype) == 8) return is_signed ? visit(int8_t{}) : visit(uint8_t{});
  if (bits(dtype) == 16) return is_signed ? visit(int16_t{}) : visit(uint16_t{});
  visit(int32_t{});
}

/// Element `i` of `values` goes where element `i` of the model lies.
void scatter(const acg::TensorBinding& binding, std::span<const int32_t> values, std::span<uint8_t> stored) {
  if (bits(binding.dtype) < 8) {
    for_each_element(binding, [&](uint64_t from, uint64_t to) { set_packed(binding.dtype, stored, to, values[from]); });
    return;
  }
  with_type_of(binding.dtype, [&]<typename Element>(Element) {
    for_each_element(binding, [&](uint64_t from, uint64_t to) {
      const auto element = static_cast<Element>(values[from]);
      std::memcpy(&stored[to * sizeof element], &element, sizeof element);
    });
  });
}

/// The inverse.
std::vector<int32_t> gathered(const acg::TensorBinding& binding, std::span<const uint8_t> stored) {
  std::vector<int32_t> values(element_count(binding.shape));
  if (bits(binding.dtype) < 8) {
    for_each_element(binding,
                     [&](uint64_t to, uint64_t from) { values[to] = get_packed(binding.dtype, stored, from); });
    return values;
  }
  with_type_of(binding.dtype, [&]<typename Element>(Element element) {
    for_each_element(binding, [&](uint64_t to, uint64_t from) {
      std::memcpy(&element, &stored[from * sizeof element], sizeof element);
      values[to] = element;
    });
  });
  return values;
}

/// Elements of a tensor that takes whole bytes, extended.
std::vector<int32_t> elements_of(const Tensor& tensor) {
  std::vector<int32_t> values(element_count(tensor.shape));
  with_type_of(held_as(tensor.dtype), [&]<typename Element>(Element element) {
    for (size_t i = 0; i < values.size(); ++i) {
      std::memcpy(&element, &tensor.bytes[i * sizeof element], sizeof element);
      values[i] = element;
    }
  });
  return values;
}

std::vector<int32_t> quantized(const Tensor& tensor, const acg::Quantization& quantization, DType dtype) {
  std::vector<int32_t> values(element_count(tensor.shape));
  for (size_t i = 0; i < values.size(); ++i) {
    float value = 0;
    std::memcpy(&value, &tensor.bytes[i * sizeof value], sizeof value);
    values[i] = nearest(value, quantization, dtype);
  }
  return values;
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
  return nearest(value, quantization, dtype);
}

float dequantize(int32_t stored, const acg::Quantization& quantization) {
  return static_cast<float>(stored - quantization.zero_point) * quantization.scale;
}

void put(const acg::TensorBinding& binding, const Tensor& tensor, std::span<uint8_t> stored) {
  check(holds(tensor.dtype, model_dtype(binding)) && tensor.shape == binding.shape,
        "a tensor that is not the binding's");
  check(tensor.bytes.size() == element_count(tensor.shape) * bytes(tensor.dtype),
        "a tensor has bytes for all elements");
  if (binding.host_quantizes) {
    const DType dtype = binding.model_dtype.value_or(binding.dtype);
    return scatter(binding, quantized(tensor, binding.quantization, dtype), stored);
  }
  scatter(binding, elements_of(tensor), stored);
}

void put_padded(const acg::TensorBinding& binding, const Tensor& tensor, std::span<uint8_t> stored) {
  fill_packed(binding.dtype, stored, binding.elements, binding.pad_value);
  put(binding, tensor, stored);
}

std::vector<uint8_t> to_memory(const acg::TensorBinding& binding, const Tensor& tensor) {
  std::vector<uint8_t> stored(size_in_memory(binding).value());
  put_padded(binding, tensor, stored);
  return stored;
}

Tensor from_memory(const acg::TensorBinding& binding, std::span<const uint8_t> stored) {
  Tensor tensor{binding.name, model_dtype(binding), binding.shape, {}};
  tensor.bytes.resize(element_count(binding.shape) * bytes(tensor.dtype));
  const std::vector<int32_t> values = gathered(binding, stored);
  if (!binding.host_quantizes) {
    const DType whole = held_as(tensor.dtype);  // unpacked elements take whole bytes
    for (size_t i = 0; i < values.size(); ++i) set_packed(whole, tensor.bytes, i, values[i]);
    return tensor;
  }
  for (size_t i = 0; i < values.size(); ++i) {
    const float value = dequantize(values[i], binding.quantization);
    std::memcpy(&tensor.bytes[i * sizeof value], &value, sizeof value);
  }
  return tensor;
}

}  // namespace covenant::runtime
