#include <array>

#include "compiler/operators/checks.h"
#include "compiler/operators/softmax_template.h"
#include "compiler/operators/table.h"
#include "compiler/srdfg/queries.h"

namespace covenant::compiler::operators {
namespace {

using srdfg::Graph;
using srdfg::Node;
using srdfg::Value;

constexpr std::array kAttributes{kAxis};

/// The shape of x with one index along `axis`, or nothing if x has no such dimension.
Shape reduced_shape(const Node& node, const Graph& graph) {
  Shape x = graph.get(node.inputs[0]).shape;
  const int64_t axis = srdfg::integer_attribute(node, "axis");
  if (x.size() < 2 || axis < 0 || static_cast<size_t>(axis) >= x.size()) return {};
  x[static_cast<size_t>(axis)] = 1;
  return x;
}

std::string whole_shapes(const Node& node, const Graph& graph) {
  const bool fits =
      !reduced_shape(node, graph).empty() && graph.get(node.outputs[0]).shape == graph.get(node.inputs[0]).shape;
  return fits ? "" : kWrongShapes;
}

std::string reduced_shapes(const Node& node, const Graph& graph) {
  const Shape reduced = reduced_shape(node, graph);
  return !reduced.empty() && graph.get(node.outputs[0]).shape == reduced ? "" : kWrongShapes;
}

/// Checks the largest elements, the sums if there are any, and the table, which comes last.
std::string parts_mistake(const Node& node, const Graph& graph) {
  const Value& x = graph.get(node.inputs[0]);
  const Value& table = graph.get(node.inputs.back());
  if (bits(x.dtype) > 8) return "a table of elements of more than 8 bits";
  if (table.shape != Shape{uint64_t{1} << bits(x.dtype)}) return kWrongShapes;
  if (table.dtype != DType::kF32) return kWrongDtypes;
  const Shape reduced = reduced_shape(node, graph);
  for (size_t i = 1; i + 1 < node.inputs.size(); ++i) {
    const Value& part = graph.get(node.inputs[i]);
    if (part.shape != reduced) return kWrongShapes;
    if (part.dtype != (i == 1 ? x.dtype : DType::kF32)) return kWrongDtypes;
  }
  return "";
}

std::string sum_shapes(const Node& node, const Graph& graph) {
  const std::string mistake = reduced_shapes(node, graph);
  return mistake.empty() ? parts_mistake(node, graph) : mistake;
}

std::string quotient_shapes(const Node& node, const Graph& graph) {
  const std::string mistake = whole_shapes(node, graph);
  return mistake.empty() ? parts_mistake(node, graph) : mistake;
}

constexpr std::array kRows{
    Operator{.name = "softmax",
             .kind = OperatorClass::kAlongAxis,
             .table = Table::kMade,
             .clamps = true,
             .attributes = kAttributes,
             .shapes = whole_shapes,
             .body = softmax_body},
    Operator{.name = "reduce_max",
             .kind = OperatorClass::kAlongAxis,
             .keeps_quantization = true,
             .attributes = kAttributes,
             .shapes = reduced_shapes},
    Operator{.name = "softmax_sum",
             .kind = OperatorClass::kAlongAxis,
             .least_inputs = 3,
             .most_inputs = 3,
             .makes = TensorKind::kReal,
             .attributes = kAttributes,
             .shapes = sum_shapes},
    Operator{.name = "softmax_quotient",
             .kind = OperatorClass::kAlongAxis,
             .least_inputs = 4,
             .most_inputs = 4,
             .clamps = true,
             .attributes = kAttributes,
             .shapes = quotient_shapes},
};

}  // namespace

std::span<const Operator> softmax_operators() { return kRows; }

}  // namespace covenant::compiler::operators
