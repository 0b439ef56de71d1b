#include "compiler/frontends/onnx/shapes.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "compiler/frontends/onnx/attributes.h"
#include "compiler/frontends/onnx/chains.h"
#include "compiler/frontends/onnx/movement.h"
#include "compiler/frontends/onnx/onnx_tensor.h"
#include "compiler/frontends/onnx/products.h"
#include "compiler/frontends/onnx/refusal.h"
#include "compiler/frontends/onnx/rows.h"
#include "compiler/frontends/onnx/window.h"
#include "compiler/srdfg/queries.h"
#include "compiler/srdfg/windows.h"

namespace covenant::compiler::frontend {
namespace {

using srdfg::Graph;
using srdfg::Node;
using srdfg::Value;

const Value& input(const Graph& graph, const Node& node, size_t index) { return graph.get(node.inputs.at(index)); }

/// The dtype of a quantised output is that of its zero point; without one it is u8.
DType output_dtype(const Graph& graph, const Node& node, size_t zero_point) {
  if (node.inputs.size() <= zero_point || input(graph, node, zero_point).name.empty()) return DType::kU8;
  return input(graph, node, zero_point).dtype;
}

/// The same for QuantizeLinear, which may give its type as an attribute instead (from opset 21 on).
DType quantized_dtype(const Graph& graph, const Node& node) {
  const std::optional<DType> said = dtype_of(static_cast<int32_t>(integer_or(node, "output_dtype", 0)));
  const bool has_zero_point = node.inputs.size() > 2 && !input(graph, node, 2).name.empty();
  return has_zero_point || !said ? output_dtype(graph, node, 2) : *said;
}

/// The result shape of a window over an image, or over its one row.
std::vector<uint64_t> windowed(const std::vector<uint64_t>& image, uint64_t channels, const Window& window) {
  if (image.size() == 3) return {image[0], channels, window.output[1]};
  return {image[0], channels, window.output[0], window.output[1]};
}

Result<TensorType> convolution(const Graph& graph, const Node& node, size_t weight_index, DType dtype) {
  const Value& x = input(graph, node, 0);
  const Value& w = input(graph, node, weight_index);
  if (x.shape.size() < 3 || x.shape.size() > 4 || w.shape.size() != x.shape.size()) {
    return unsupported_rank(
        node, "only convolutions of [N,C,H,W] by [O,C,KH,KW] and of [N,C,W] by [O,C,KW] are supported",
        shape_text(x.shape) + " by " + shape_text(w.shape), "give image and weights one or two spatial dimensions");
  }
  Result<Window> window = window_of(node, x.shape, {w.shape.begin() + 2, w.shape.end()});
  if (!window) return window.error();
  const int64_t groups = integer_or(node, "group", 1);
  if (groups < 1 || w.shape[0] % static_cast<uint64_t>(groups) != 0) {
    return malformed(node, "the output channels cannot be shared out among the groups",
                     fmt::format("{} channels, group={}", w.shape[0], groups));
  }
  if (w.shape[1] * static_cast<uint64_t>(groups) != x.shape[1]) {
    return malformed(
        node, "image and weights differ in their number of channels",
        shape_text(x.shape) + " by " + shape_text(w.shape) + (groups == 1 ? "" : fmt::format(" in {} groups", groups)));
  }
  return TensorType{dtype, windowed(x.shape, w.shape[0], *window)};
}

Status check_channels_first(const Node& node) {
  if (integer_or(node, "channels_last", 0) == 0) return Done{};
  return diagnostic({.code = kAttribute,
                     .subject = subject_of(node),
                     .message = "images with the channels last are not supported",
                     .offending = "channels_last=1",
                     .allowed = {"channels_last=0"},
                     .fix = "quantise the original model, not one that ONNX Runtime has optimised"});
}

/// Dilated windows may cover nothing but padding. Of those that begin inside of the image none does.
bool is_any_empty(const Window& window, size_t axis, int64_t extent) {
  const auto first_of = [&](uint64_t place) {
    return static_cast<int64_t>(place) * window.strides[axis] - window.pads[axis];
  };
  if (window.output[axis] > 0 && first_of(window.output[axis] - 1) >= extent) return true;
  for (uint64_t place = 0; place < window.output[axis] && first_of(place) < 0; ++place) {
    if (srdfg::elements_inside(first_of(place), window.kernel[axis], window.dilations[axis], extent) == 0) return true;
  }
  return false;
}

Result<TensorType> pool(const Graph& graph, const Node& node, DType dtype) {
  const Value& x = input(graph, node, 0);
  if (Status status = check_channels_first(node); !status) return status.error();
  Result<Window> window = window_of(node, x.shape, {});
  if (!window) return window.error();
  // As ONNX Runtime has it: of the pads that are stated, those without what ceil_mode adds.
  for (size_t side = 0; side < 4; ++side) {
    const int64_t stated = window->pads[side] - (side < 2 ? 0 : window->added[side - 2]);
    if (stated >= window->kernel[side % 2]) {
      return malformed(node, "a pad is as wide as the kernel of its pool", fmt::format("{}", stated));
    }
  }
  const std::vector<uint64_t> image = as_image(x.shape);
  const bool has_empty = is_any_empty(*window, 0, static_cast<int64_t>(image[2])) ||
                         is_any_empty(*window, 1, static_cast<int64_t>(image[3]));
  if (has_empty && node.operation != "MaxPool" && integer_or(node, "count_include_pad", 0) == 0) {
    return malformed(node, "a window of this pool has no element to average", shape_text(x.shape));
  }
  return TensorType{dtype, windowed(x.shape, x.shape[1], *window)};
}

Result<TensorType> product(const Graph& graph, const Node& node, size_t right, DType dtype) {
  const Value& a = input(graph, node, 0);
  const Value& b = input(graph, node, right);
  const bool has_rows = node.operation.find("MatMul") != std::string::npos;  // of any number of dimensions
  const std::string shapes = shape_text(a.shape) + " by " + shape_text(b.shape);
  if (has_rows) {
    if (const auto shape = matmul_shape(a.shape, b.shape)) return TensorType{dtype, *shape};
    return malformed(node, "the shapes of the operands make no product", shapes);
  }
  if (a.shape.size() != 2 || b.shape.size() != 2) {
    return unsupported_rank(node, "a Gemm is of two matrices", shapes, "reshape its operands to two dimensions");
  }
  const bool left_turned = integer_or(node, "transA", 0) != 0;
  const bool right_turned = integer_or(node, "transB", 0) != 0;
  const uint64_t rows = a.shape[left_turned ? 1 : 0];
  const uint64_t inner = a.shape[left_turned ? 0 : 1];
  if (inner != b.shape[right_turned ? 1 : 0]) {
    return malformed(node, "the matrices' inner dimensions differ", shape_text(a.shape) + " by " + shape_text(b.shape));
  }
  return TensorType{dtype, {rows, b.shape[right_turned ? 0 : 1]}};
}

Result<TensorType> normalized(const Node& node, const Value& x) {
  const int64_t axis = integer_or(node, "axis", -1);
  const auto rank = static_cast<int64_t>(x.shape.size());
  if (axis >= -rank && axis < rank) return TensorType{x.dtype, x.shape};
  return malformed(node, "the axis is no dimension of the tensor", fmt::format("{} of {}", axis, shape_text(x.shape)));
}

/// The result of a sum or product: each dimension is that of the operand with more indices there.
Result<TensorType> pair(const Graph& graph, const Node& node, size_t right, DType dtype) {
  const Value& a = input(graph, node, 0);
  const Value& b = input(graph, node, right);
  const std::optional<std::vector<uint64_t>> shape = srdfg::broadcast(a.shape, b.shape);
  if (shape) return TensorType{dtype, *shape};
  return malformed(node, "the shapes of the operands do not fit", shape_text(a.shape) + " and " + shape_text(b.shape));
}

Result<TensorType> average(const Graph& graph, const Node& node, DType dtype) {
  const Value& x = input(graph, node, 0);
  if (x.shape.size() != 4 && x.shape.size() != 3) {
    return unsupported_rank(node, "only images [N,C,H,W] and rows [N,C,W] are supported", shape_text(x.shape),
                            "give the image one or two spatial dimensions");
  }
  if (Status status = check_channels_first(node); !status) return status.error();
  std::vector<uint64_t> shape(x.shape.size(), 1);
  std::copy_n(x.shape.begin(), 2, shape.begin());
  return TensorType{dtype, shape};
}

/// y's scale and zero point, then each operand with its own.
Result<TensorType> quantized_concat(const Graph& graph, const Node& node) {
  Node operands{.name = node.name, .operation = "Concat", .attributes = node.attributes, .body = {}};
  for (size_t i = 2; i < node.inputs.size(); i += 3) operands.inputs.push_back(node.inputs[i]);
  Result<TensorType> type = moved(graph, operands);
  if (type) type->dtype = output_dtype(graph, node, 1);
  return type;
}

}  // namespace

Result<TensorType> elementwise_output(const Graph& graph, const Node& node) {
  const Value& x = input(graph, node, 0);
  for (size_t i = 1; i < node.inputs.size(); ++i) {
    if (input(graph, node, i).shape == x.shape) continue;
    return diagnostic({.code = kAttribute,
                       .subject = subject_of(node),
                       .message = "a declared operator does not broadcast its operands",
                       .offending = shape_text(x.shape) + " and " + shape_text(input(graph, node, i).shape),
                       .allowed = {"operands of one shape"},
                       .fix = "expand the operands to one shape in the model"});
  }
  return TensorType{x.dtype, x.shape};
}

Result<TensorType> infer_output(const Graph& graph, const Node& node) {
  const std::string& operation = node.operation;
  const Value& x = input(graph, node, 0);
  if (operation == "Conv") return convolution(graph, node, 1, x.dtype);
  if (operation == "ConvInteger") return convolution(graph, node, 1, DType::kI32);
  if (operation == "QLinearConv") return convolution(graph, node, 3, output_dtype(graph, node, 7));
  if (operation == "MaxPool" || operation == "AveragePool") return pool(graph, node, x.dtype);
  if (operation == "com.microsoft.QLinearAveragePool") return pool(graph, node, output_dtype(graph, node, 4));
  if (operation == "Gemm" || operation == "MatMul") return product(graph, node, 1, x.dtype);
  if (operation == "MatMulInteger") return product(graph, node, 1, DType::kI32);
  if (operation == "QLinearMatMul") return product(graph, node, 3, output_dtype(graph, node, 7));
  if (operation == "com.microsoft.QGemm") return product(graph, node, 3, output_dtype(graph, node, 8));
  constexpr std::array<std::string_view, 6> kPairs{"Add", "Mul", "Sub", "Div", "Max", "Min"};
  if (std::ranges::find(kPairs, operation) != kPairs.end()) return pair(graph, node, 1, x.dtype);
  if (operation == "com.microsoft.QLinearAdd" || operation == "com.microsoft.QLinearMul") {
    return pair(graph, node, 3, output_dtype(graph, node, 7));
  }
  if (operation == "com.microsoft.QLinearConcat") return quantized_concat(graph, node);
  if (operation == "LayerNormalization") return normalized(node, x);
  if (operation == "Softmax") return TensorType{x.dtype, x.shape};
  if (operation == "com.microsoft.QLinearSoftmax") return TensorType{output_dtype(graph, node, 4), x.shape};
  if (operation == "covenant.Lookup") return TensorType{output_dtype(graph, node, 5), x.shape};
  if (is_chain(operation)) return type_of_chain(graph, node);
  if (is_on_rows(operation)) return type_on_rows(graph, node);
  if (operation == "GlobalAveragePool") return average(graph, node, x.dtype);
  if (operation == "com.microsoft.QLinearGlobalAveragePool") return average(graph, node, output_dtype(graph, node, 4));
  if (movement_of(operation)) return moved(graph, node);
  if (operation == "QuantizeLinear") return TensorType{quantized_dtype(graph, node), x.shape};
  if (operation == "DequantizeLinear") return TensorType{DType::kF32, x.shape};
  check(operation == "Relu" || operation == "Clip", "an operator of the table without a shape rule");
  return TensorType{x.dtype, x.shape};
}

}  // namespace covenant::compiler::frontend
