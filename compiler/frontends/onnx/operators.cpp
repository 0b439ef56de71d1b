#include "compiler/frontends/onnx/operators.h"

#include <algorithm>

namespace covenant::compiler::frontend {
namespace {

constexpr std::array<OperatorRule, 54> kRules{{
    {"Add", 2, 2, {}, false},
    {"AveragePool",
     1,
     1,
     {"auto_pad", "ceil_mode", "count_include_pad", "dilations", "kernel_shape", "pads", "strides"},
     false},
    {"Clip", 1, 3, {}, false},
    {"Concat", 1, kAnyNumber, {"axis"}, false},
    {"Constant", 0, 0, {"value", "value_float", "value_floats", "value_int", "value_ints"}, false},
    {"Conv", 2, 3, {"auto_pad", "dilations", "group", "kernel_shape", "pads", "strides"}, false},
    {"ConvInteger", 2, 4, {"auto_pad", "dilations", "group", "kernel_shape", "pads", "strides"}, true},
    {"DepthToSpace", 1, 1, {"blocksize", "mode"}, false},
    {"DequantizeLinear", 2, 3, {"axis", "block_size", "output_dtype"}, true},
    {"Div", 2, 2, {}, false},
    {"Expand", 2, 2, {}, false},
    {"Flatten", 1, 1, {"axis"}, false},
    {"Gather", 2, 2, {"axis"}, false},
    {"Gemm", 2, 3, {"alpha", "beta", "transA", "transB"}, false},
    {"GlobalAveragePool", 1, 1, {}, false},
    {"Identity", 1, 1, {}, false},
    {"LayerNormalization", 2, 3, {"axis", "epsilon", "stash_type"}, false},
    {"MatMul", 2, 2, {}, false},
    {"MatMulInteger", 2, 4, {}, true},
    {"Max", 2, 2, {}, false},
    {"MaxPool",
     1,
     1,
     {"auto_pad", "ceil_mode", "dilations", "kernel_shape", "pads", "storage_order", "strides"},
     false},
    {"Min", 2, 2, {}, false},
    {"Mul", 2, 2, {}, false},
    {"Pad", 2, 4, {"mode"}, false},
    {"QLinearConv", 8, 9, {"auto_pad", "dilations", "group", "kernel_shape", "pads", "strides"}, true},
    {"QLinearMatMul", 8, 8, {}, true},
    {"QuantizeLinear", 2, 3, {"axis", "block_size", "output_dtype", "precision", "saturate"}, true},
    {"Relu", 1, 1, {}, false},
    {"Reshape", 2, 2, {"allowzero"}, false},
    {"Resize",
     2,
     4,
     {"antialias", "axes", "coordinate_transformation_mode", "cubic_coeff_a", "exclude_outside", "extrapolation_value",
      "keep_aspect_ratio_policy", "mode", "nearest_mode"},
     false},
    {"Slice", 3, 5, {}, false},
    {"Softmax", 1, 1, {"axis"}, false},
    {"SpaceToDepth", 1, 1, {"blocksize"}, false},
    {"Split", 1, 2, {"axis", "num_outputs", "split"}, false},
    {"Squeeze", 1, 2, {"axes"}, false},
    {"Sub", 2, 2, {}, false},
    {"Transpose", 1, 1, {"perm"}, false},
    {"Unsqueeze", 1, 2, {"axes"}, false},
    {"com.microsoft.QGemm", 9, 9, {"alpha", "transA", "transB"}, true},
    {"com.microsoft.QLinearAdd", 8, 8, {}, true},
    {"com.microsoft.QLinearAveragePool",
     5,
     5,
     {"auto_pad", "ceil_mode", "channels_last", "count_include_pad", "kernel_shape", "pads", "strides"},
     true},
    {"com.microsoft.QLinearConcat", 5, kAnyNumber, {"axis"}, true},
    {"com.microsoft.QLinearGlobalAveragePool", 5, 5, {"channels_last"}, true},
    {"com.microsoft.QLinearMul", 8, 8, {}, true},
    {"com.microsoft.QLinearSoftmax", 5, 5, {"axis", "opset"}, true},
    {"covenant.FloatChain", 5, kAnyNumber, {"steps"}, true},
    {"covenant.Lookup", 6, 6, {}, true},
    {"covenant.NormalizeRows", 5, 5, {}, true},
    {"covenant.RowDeviation", 1, 1, {"epsilon"}, true},
    {"covenant.RowMean", 1, 1, {"count", "scale"}, true},
    {"covenant.RowSquares", 2, 2, {}, true},
    {"covenant.RowSums", 3, 3, {"factor"}, true},
    {"covenant.RowVariance", 2, 2, {"count", "scale"}, true},
    {"covenant.ScaleColumns", 5, 5, {}, true},
}};

}  // namespace

const OperatorRule* find_operator(std::string_view name) {
  const auto* found = std::ranges::find(kRules, name, &OperatorRule::name);
  return found == kRules.end() ? nullptr : found;
}

std::vector<std::string> operator_names() {
  std::vector<std::string> names;
  for (const OperatorRule& rule : kRules) names.emplace_back(rule.name);
  return names;
}

}  // namespace covenant::compiler::frontend
