#include "compiler/srdfg/queries.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "acg/base/check.h"

namespace covenant::compiler::srdfg {
namespace {

template <typename T>
std::vector<int64_t> widen(const std::vector<uint8_t>& data) {
  std::vector<int64_t> result(data.size() / sizeof(T));
  for (size_t i = 0; i < result.size(); ++i) {
    T element;
    std::memcpy(&element, data.data() + i * sizeof(T), sizeof(T));
    result[i] = element;
  }
  return result;
}

}  // namespace

uint64_t element_count(const std::vector<uint64_t>& shape) {
  uint64_t count = 1;
  for (uint64_t extent : shape) count *= extent;
  return count;
}

std::vector<uint64_t> row_major_strides(const std::vector<uint64_t>& shape) {
  std::vector<uint64_t> strides(shape.size(), 1);
  for (size_t d = shape.size(); d-- > 1;) strides[d - 1] = strides[d] * shape[d];
  return strides;
}

bool differs_in_sign(const Graph& graph, const Node& node) {
  const bool is_signed = info(graph.get(node.outputs.at(0)).dtype).is_signed;
  return std::ranges::any_of(node.inputs, [&](ValueId id) {
    const Value& value = graph.get(id);
    return is_activation(value) && info(value.dtype).is_signed != is_signed;
  });
}

std::vector<uint8_t> gathered(const std::vector<uint8_t>& bytes, const std::vector<uint64_t>& shape,
                              const std::vector<uint64_t>& strides, size_t width) {
  const uint64_t count = element_count(shape);
  std::vector<uint8_t> result(count * width);
  for (uint64_t i = 0; i < count; ++i) {
    uint64_t rest = i;
    uint64_t place = 0;
    for (size_t d = shape.size(); d-- > 0;) {
      place += rest % shape[d] * strides[d];
      rest /= shape[d];
    }
    std::copy_n(bytes.begin() + static_cast<int64_t>(place * width), width,
                result.begin() + static_cast<int64_t>(i * width));
  }
  return result;
}

int64_t integer_attribute(const Node& node, std::string_view name) {
  const auto found = node.attributes.find(std::string(name));
  check(found != node.attributes.end() && std::holds_alternative<int64_t>(found->second), "integer attribute missing");
  return std::get<int64_t>(found->second);
}

const std::vector<int64_t>& integers_attribute(const Node& node, std::string_view name) {
  const auto found = node.attributes.find(std::string(name));
  check(found != node.attributes.end() && std::holds_alternative<std::vector<int64_t>>(found->second),
        "list attribute missing");
  return std::get<std::vector<int64_t>>(found->second);
}

std::vector<std::optional<size_t>> producers(const Graph& graph) {
  std::vector<std::optional<size_t>> result(graph.values.size());
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    for (ValueId id : graph.nodes[n].outputs) result.at(id.value) = n;
  }
  return result;
}

std::vector<std::vector<size_t>> consumers(const Graph& graph) {
  std::vector<std::vector<size_t>> result(graph.values.size());
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    for (ValueId id : graph.nodes[n].inputs) {
      std::vector<size_t>& list = result.at(id.value);
      if (list.empty() || list.back() != n) list.push_back(n);
    }
  }
  return result;
}

std::vector<int64_t> integer_elements(const Value& value) {
  switch (value.dtype) {
    case DType::kI4:
    case DType::kI8:
      return widen<int8_t>(value.data);
    case DType::kU4:
    case DType::kU8:
      return widen<uint8_t>(value.data);
    case DType::kI16:
      return widen<int16_t>(value.data);
    case DType::kU16:
      return widen<uint16_t>(value.data);
    case DType::kI32:
      return widen<int32_t>(value.data);
    default:
      fail("integer_elements of a value of another dtype");
  }
}

std::vector<uint8_t> integer_data(DType dtype, std::span<const int64_t> elements) {
  const size_t width = bytes(dtype);
  std::vector<uint8_t> data(elements.size() * width);
  // Two's complement, little-endian: truncation keeps the low bytes.
  for (size_t i = 0; i < elements.size(); ++i) std::memcpy(data.data() + i * width, &elements[i], width);
  return data;
}

std::vector<float> float_elements(const Value& value) {
  check(value.dtype == DType::kF32, "float_elements of a value of another dtype");
  std::vector<float> result(value.data.size() / sizeof(float));
  if (!result.empty()) std::memcpy(result.data(), value.data.data(), result.size() * sizeof(float));
  return result;
}

bool is_activation(const Value& value) {
  const bool quantized = value.quantization && value.quantization->axis == -1 && value.quantization->scales[0] > 0 &&
                         std::isfinite(value.quantization->scales[0]);
  if (!quantized || !is_narrow(value.dtype)) return false;
  const int32_t zero_point = value.quantization->zero_points[0];
  return zero_point >= lowest(value.dtype) && zero_point <= highest(value.dtype);
}

}  // namespace covenant::compiler::srdfg
