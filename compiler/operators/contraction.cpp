#include <algorithm>
#include <array>

#include "compiler/operators/checks.h"
#include "compiler/operators/table.h"
#include "compiler/operators/windows.h"
#include "compiler/srdfg/queries.h"
#include "compiler/srdfg/windows.h"

namespace covenant::compiler::operators {
namespace {

using srdfg::Graph;
using srdfg::Node;
using srdfg::Value;

constexpr AttributeRule kGroup{"group",
                               [](const srdfg::Attribute& attribute) {
                                 const auto* groups = std::get_if<int64_t>(&attribute);
                                 const bool is_number = groups != nullptr && *groups > 1;
                                 return std::string(is_number ? "" : "a group that is no number of groups above 1");
                               },
                               true};
constexpr std::array kConvolution{kStrides, kPads, kDilations, kGroup};

/// Checks weights, whose output channels are dimension `axis`, and a bias.
std::string parameters_mistake(const Node& node, const Graph& graph, size_t axis) {
  const Value& weight = graph.get(node.inputs[1]);
  const bool is_narrow_param = weight.modifier == srdfg::Modifier::kParam && is_narrow(weight.dtype);
  if (!is_narrow_param || !info(weight.dtype).is_signed || !weight.quantization) {
    return "weights that are no quantised param with a sign";
  }
  const srdfg::Quantization& quantization = *weight.quantization;
  if (std::ranges::any_of(quantization.zero_points, [](int32_t zero) { return zero != 0; })) {
    return "weights with a zero point";
  }
  if (quantization.axis != -1 && static_cast<size_t>(quantization.axis) != axis) {
    return "weights quantised along another axis than the output channels";
  }
  if (node.inputs.size() < 3) return "";
  const Value& bias = graph.get(node.inputs[2]);
  const bool fits = bias.modifier == srdfg::Modifier::kParam && bias.dtype == DType::kI32 &&
                    bias.shape == std::vector<uint64_t>{weight.shape[axis]};
  return fits ? "" : "a bias that is no i32 param of one element per output channel";
}

std::string conv_shapes(const Node& node, const Graph& graph) {
  const Value& x = graph.get(node.inputs[0]);
  const Value& y = graph.get(node.outputs[0]);
  const Value& w = graph.get(node.inputs[1]);
  const auto parts = static_cast<uint64_t>(srdfg::groups(node));
  const bool fits =
      w.shape.size() == 4 && w.shape[1] * parts == x.shape[1] && y.shape[1] == w.shape[0] && w.shape[0] % parts == 0;
  if (!fits || !window_shape(node, x, y, w.shape[2], w.shape[3])) return kWrongShapes;
  return parameters_mistake(node, graph, 0);
}

std::string gemm_shapes(const Node& node, const Graph& graph) {
  const std::vector<uint64_t>& x = graph.get(node.inputs[0]).shape;
  const std::vector<uint64_t>& y = graph.get(node.outputs[0]).shape;
  const std::vector<uint64_t>& w = graph.get(node.inputs[1]).shape;
  const bool fits = w.size() == 2 && w[0] == x[1] && y[1] == w[1] && y[0] == x[0];
  return fits ? parameters_mistake(node, graph, 1) : kWrongShapes;
}

std::string gemm_sums_shapes(const Node& node, const Graph& graph) {
  const std::vector<uint64_t>& x = graph.get(node.inputs[0]).shape;
  const std::vector<uint64_t>& y = graph.get(node.outputs[0]).shape;
  const std::vector<uint64_t>& w = graph.get(node.inputs[1]).shape;
  const bool fits = w.size() == 3 && w[0] > 0 && w[1] == x[1] && y[1] == w[2] && y[0] == x[0] && x[0] % w[0] == 0;
  return fits ? parameters_mistake(node, graph, 2) : kWrongShapes;
}

constexpr std::array kRows{
    Operator{.name = "conv",
             .kind = OperatorClass::kContraction,
             .least_inputs = 2,
             .most_inputs = 3,
             .rank = 4,
             .sums = true,
             .writes_parts = true,
             .clamps = true,
             .attributes = kConvolution,
             .shapes = conv_shapes},
    Operator{.name = "gemm",
             .kind = OperatorClass::kContraction,
             .least_inputs = 2,
             .most_inputs = 3,
             .rank = 2,
             .sums = true,
             .clamps = true,
             .shapes = gemm_shapes},
    Operator{.name = "conv_sums",
             .kind = OperatorClass::kContraction,
             .least_inputs = 2,
             .most_inputs = 2,
             .rank = 4,
             .makes = TensorKind::kSums,
             .sums = true,
             .attributes = kConvolution,
             .shapes = conv_shapes},
    Operator{.name = "gemm_sums",
             .kind = OperatorClass::kContraction,
             .least_inputs = 2,
             .most_inputs = 2,
             .rank = 2,
             .makes = TensorKind::kSums,
             .sums = true,
             .shapes = gemm_sums_shapes},
};

}  // namespace

std::span<const Operator> contraction_operators() { return kRows; }

}  // namespace covenant::compiler::operators
