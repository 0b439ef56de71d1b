#include "compiler/frontends/onnx/weights.h"

#include <algorithm>
#include <fmt/format.h>

#include "compiler/frontends/onnx/refusal.h"
#include "compiler/srdfg/queries.h"

namespace covenant::compiler::frontend {
namespace {

using srdfg::Quantization;
using srdfg::Value;

/// Number of contiguous elements of a row-major tensor that share one index along `axis`.
size_t side_by_side(const std::vector<uint64_t>& shape, int32_t axis) {
  size_t count = 1;
  for (size_t d = axis < 0 ? 0 : static_cast<size_t>(axis) + 1; d < shape.size(); ++d) count *= shape[d];
  return count;
}

void turn(Value& matrix) {
  const size_t outputs = matrix.shape[0];
  const size_t inner = matrix.shape[1];
  matrix.data = srdfg::gathered(matrix.data, {inner, outputs}, {1, inner}, bytes(matrix.dtype));
  matrix.shape = {inner, outputs};
  if (matrix.quantization.value().axis != -1) matrix.quantization.value().axis = 1 - matrix.quantization.value().axis;
}

std::vector<int64_t> without_zero_points(const Value& stored, const Quantization& quantization) {
  std::vector<int64_t> elements = srdfg::integer_elements(stored);
  const size_t group = side_by_side(stored.shape, quantization.axis);
  const size_t channels = quantization.axis < 0 ? 1 : stored.shape[static_cast<size_t>(quantization.axis)];
  size_t channel = 0;
  for (size_t i = 0; i < elements.size(); ++i) {
    if (i > 0 && i % group == 0) channel = channel + 1 == channels ? 0 : channel + 1;
    elements[i] -= quantization.zero_points[channel];
  }
  return elements;
}

/// The stored width, except that 4-bit weights that do not all fit take 8 bits.
DType weight_dtype(DType stored, int64_t least, int64_t most) {
  const bool fits = least >= lowest(DType::kI4) && most <= highest(DType::kI4);
  if (bits(stored) == 4 && fits) return DType::kI4;
  return bits(stored) == 16 ? DType::kI16 : DType::kI8;
}

}  // namespace

Result<std::vector<Value>> normalized_weights(const srdfg::Node& node, const Value& stored,
                                              const Quantization& quantization, bool turned) {
  if (!is_narrow(stored.dtype)) {
    return diagnostic({.code = kDtype,
                       .subject = subject_of(node),
                       .message = "the weights' type is not supported",
                       .offending = std::string(name(stored.dtype)),
                       .allowed = {"i4, i8, i16", "u4, u8, u16 whose elements minus zero point fit one of these"},
                       .fix = "quantise with weight_type=QuantType.QInt8"});
  }
  std::vector<int64_t> left = without_zero_points(stored, quantization);
  const auto [least, most] = std::ranges::minmax_element(left);
  const DType dtype = weight_dtype(stored.dtype, left.empty() ? 0 : *least, left.empty() ? 0 : *most);
  std::vector<Value> parts;
  do {
    std::vector<int64_t> part;
    for (int64_t& element : left) {
      part.push_back(std::clamp(element, lowest(dtype), highest(dtype)));
      element -= part.back();
    }
    Value& weights = parts.emplace_back(Value{.name = stored.name,
                                              .dtype = dtype,
                                              .shape = stored.shape,
                                              .modifier = srdfg::Modifier::kParam,
                                              .quantization = quantization,
                                              .data = srdfg::integer_data(dtype, part)});
    weights.quantization->zero_points.assign(quantization.zero_points.size(), 0);
    if (turned) turn(weights);
  } while (std::ranges::any_of(left, [](int64_t element) { return element != 0; }));
  return parts;
}

Result<Value> normalized_bias(const srdfg::Node& node, const Value& stored, uint64_t outputs) {
  const bool vector =
      stored.shape == std::vector<uint64_t>{outputs} || stored.shape == std::vector<uint64_t>{1, outputs};
  if (stored.modifier != srdfg::Modifier::kParam || stored.dtype != DType::kI32 || !vector) {
    return diagnostic(
        {.code = kBias,
         .subject = subject_of(node),
         .message = fmt::format("the bias {} is no constant i32 vector of {} elements", stored.name, outputs),
         .offending = fmt::format("{} {}", name(stored.dtype), shape_text(stored.shape)),
         .allowed = {fmt::format("i32 [{}]", outputs)},
         .fix = "let the quantiser quantise biases too (extra_options={'QuantizeBias': True}, the default)"});
  }
  Value bias{.name = stored.name,
             .dtype = DType::kI32,
             .shape = {outputs},
             .modifier = srdfg::Modifier::kParam,
             .data = stored.data};
  return bias;
}

}  // namespace covenant::compiler::frontend
