#include "compiler/frontend/weights.h"

#include <fmt/format.h>

#include "compiler/frontend/refusal.h"
#include "compiler/srdfg/queries.h"

namespace covenant::compiler::frontend {
namespace {

using srdfg::Quantization;
using srdfg::Value;

/// Elements of a row-major tensor that lie side by side with one index along `axis`.
size_t side_by_side(const std::vector<uint64_t>& shape, int32_t axis) {
  size_t count = 1;
  for (size_t d = axis < 0 ? 0 : static_cast<size_t>(axis) + 1; d < shape.size(); ++d) count *= shape[d];
  return count;
}

void turn(Value& matrix) {
  const std::vector<uint8_t> rows = matrix.data;
  const size_t outputs = matrix.shape[0];
  const size_t inner = matrix.shape[1];
  for (size_t o = 0; o < outputs; ++o) {
    for (size_t k = 0; k < inner; ++k) matrix.data[k * outputs + o] = rows[o * inner + k];
  }
  matrix.shape = {inner, outputs};
  if (matrix.quantization.value().axis != -1) matrix.quantization.value().axis = 1 - matrix.quantization.value().axis;
}

}  // namespace

Result<Value> normalized_weights(const srdfg::Node& node, const Value& stored, const Quantization& quantization,
                                 bool turned) {
  if (stored.dtype != DType::kI8 && stored.dtype != DType::kU8) {
    return diagnostic({.code = kDtype,
                       .subject = subject_of(node),
                       .message = "the weights' type is not supported",
                       .offending = std::string(name(stored.dtype)),
                       .allowed = {"i8", "u8 whose elements minus zero point fit i8"},
                       .fix = "quantise with weight_type=QuantType.QInt8"});
  }
  Value weights{.name = stored.name,
                .dtype = DType::kI8,
                .shape = stored.shape,
                .modifier = srdfg::Modifier::kParam,
                .quantization = quantization,
                .data = stored.data};
  const std::vector<int64_t> elements = srdfg::integer_elements(stored);
  const size_t group = side_by_side(stored.shape, quantization.axis);
  const size_t channels = quantization.axis < 0 ? 1 : stored.shape[static_cast<size_t>(quantization.axis)];
  size_t channel = 0;
  for (size_t i = 0; i < elements.size(); ++i) {
    if (i > 0 && i % group == 0) channel = channel + 1 == channels ? 0 : channel + 1;
    const int64_t shifted = elements[i] - quantization.zero_points[channel];
    if (shifted < -128 || shifted > 127) {
      return diagnostic(
          {.code = kWeights,
           .subject = subject_of(node),
           .message = fmt::format("element {} of {}, less its zero point, does not fit i8", i, stored.name),
           .offending = fmt::format("{}", shifted),
           .allowed = {"-128 to 127"},
           .fix = "quantise with weight_type=QuantType.QInt8 and symmetric weights "
                  "(extra_options={'WeightSymmetric': True}); wider weights would need a 9-bit multiplier"});
    }
    weights.data[i] = static_cast<uint8_t>(static_cast<int8_t>(shifted));
  }
  weights.quantization->zero_points.assign(quantization.zero_points.size(), 0);
  if (turned) turn(weights);
  return weights;
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
