#include "compiler/reference/tensor.h"

#include "compiler/srdfg/queries.h"

namespace covenant::compiler::reference {
namespace {

template <typename T>
std::vector<int32_t> widen(const std::vector<uint8_t>& bytes) {
  std::vector<int32_t> result(bytes.size() / sizeof(T));
  for (size_t i = 0; i < result.size(); ++i) {
    T element;
    std::memcpy(&element, bytes.data() + i * sizeof(T), sizeof(T));
    result[i] = static_cast<int32_t>(element);
  }
  return result;
}

}  // namespace

Tensor zeros(DType dtype, const std::vector<uint64_t>& shape) {
  return {dtype, shape, std::vector<uint8_t>(srdfg::element_count(shape) * bytes(dtype))};
}

std::vector<int32_t> integers(const Tensor& tensor) {
  switch (tensor.dtype) {
    case DType::kI4:
    case DType::kI8:
      return widen<int8_t>(tensor.bytes);
    case DType::kU4:
    case DType::kU8:
      return widen<uint8_t>(tensor.bytes);
    case DType::kI16:
      return widen<int16_t>(tensor.bytes);
    case DType::kU16:
      return widen<uint16_t>(tensor.bytes);
    case DType::kI32:
      return widen<int32_t>(tensor.bytes);
    case DType::kU32:
      return widen<uint32_t>(tensor.bytes);
    default:
      fail("integers() of a tensor of no integers");
  }
}

std::vector<float> reals(const Tensor& tensor) {
  check(tensor.dtype == DType::kF32, "reals() of an integer tensor");
  std::vector<float> result(tensor.bytes.size() / sizeof(float));
  if (!result.empty()) std::memcpy(result.data(), tensor.bytes.data(), result.size() * sizeof(float));
  return result;
}

Tensor make_tensor(DType dtype, const std::vector<uint64_t>& shape, std::span<const int32_t> elements) {
  check(dtype != DType::kF32, "make_tensor of integers with dtype f32");
  Tensor tensor = zeros(dtype, shape);
  check(elements.size() == srdfg::element_count(shape), "make_tensor: elements and shape disagree");
  const size_t width = bytes(dtype);
  // Two's complement, little-endian: truncation keeps the low bytes. Elements of less than a byte fit into one.
  for (size_t i = 0; i < elements.size(); ++i) std::memcpy(tensor.bytes.data() + i * width, &elements[i], width);
  return tensor;
}

Tensor make_tensor(const std::vector<uint64_t>& shape, std::span<const float> elements) {
  Tensor tensor = zeros(DType::kF32, shape);
  check(elements.size() == srdfg::element_count(shape), "make_tensor: elements and shape disagree");
  if (!elements.empty()) std::memcpy(tensor.bytes.data(), elements.data(), elements.size_bytes());
  return tensor;
}

}  // namespace covenant::compiler::reference
