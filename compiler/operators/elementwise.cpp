#include <array>

#include "compiler/operators/checks.h"
#include "compiler/operators/table.h"
#include "compiler/srdfg/queries.h"
#include "compiler/srdfg/windows.h"

namespace covenant::compiler::operators {
namespace {

using srdfg::Graph;
using srdfg::Node;
using srdfg::Value;

std::string second_operand(const Node& node, const Graph& graph) {
  return srdfg::is_activation(graph.get(node.inputs[1])) ? "" : "an operand of the wrong dtype or quantisation";
}

std::string pair_shapes(const Node& node, const Graph& graph) {
  const bool fits = graph.get(node.inputs[1]).shape == graph.get(node.inputs[0]).shape;
  return fits ? same_shapes(node, graph) : kWrongShapes;
}

/// Products also have factors of channels.
std::string product_shapes(const Node& node, const Graph& graph) {
  const bool is_factor = srdfg::is_one_per_channel(graph.get(node.inputs[1]).shape, graph.get(node.inputs[0]).shape);
  return is_factor ? same_shapes(node, graph) : pair_shapes(node, graph);
}

std::string table_mistake(const Node& node, const Graph& graph) {
  const Value& x = graph.get(node.inputs[0]);
  const Value& entries = graph.get(node.inputs[1]);
  if (bits(x.dtype) > 8) return "a table of elements of more than 8 bits";
  const bool is_table = entries.modifier == srdfg::Modifier::kParam &&
                        entries.dtype == graph.get(node.outputs[0]).dtype &&
                        entries.shape == std::vector<uint64_t>{uint64_t{1} << bits(x.dtype)};
  return is_table ? "" : "a table that is no param of the output's dtype with an element for each value";
}

/// The result is x less half of its range.
std::string moved_by_half(const Node& node, const Graph& graph) {
  const Value& x = graph.get(node.inputs[0]);
  const Value& y = graph.get(node.outputs[0]);
  const srdfg::Quantization& from = x.quantization.value();
  const srdfg::Quantization& to = y.quantization.value();
  const int64_t half = -lowest(y.dtype);
  const bool is_signed = !info(x.dtype).is_signed && info(y.dtype).is_signed && bits(x.dtype) == bits(y.dtype) &&
                         to.zero_points[0] == from.zero_points[0] - half;
  if (is_signed && to.scales == from.scales) return "";
  return "an output that is not x less half of its range";
}

constexpr Operator pair(std::string_view name) {
  return {.name = name,
          .kind = OperatorClass::kElementwise,
          .is_pair = true,
          .least_inputs = 2,
          .most_inputs = 2,
          .writes_parts = true,
          .clamps = true,
          .operands = second_operand,
          .shapes = pair_shapes};
}

constexpr Operator product() {
  Operator row = pair("mul");
  row.shapes = product_shapes;
  return row;
}

constexpr std::array kRows{
    pair("add"),
    product(),
    pair("sub"),
    pair("div"),
    pair("max"),
    pair("min"),
    Operator{.name = "lookup",
             .kind = OperatorClass::kElementwise,
             .least_inputs = 2,
             .most_inputs = 2,
             .table = Table::kGiven,
             .writes_parts = true,
             .operands = table_mistake,
             .shapes = same_shapes},
    Operator{.name = "clip",
             .kind = OperatorClass::kElementwise,
             .writes_parts = true,
             .clamps = true,
             .keeps_quantization = true,
             .shapes = same_shapes},
    Operator{
        .name = "to_signed", .kind = OperatorClass::kElementwise, .operands = moved_by_half, .shapes = same_shapes},
};

}  // namespace

std::span<const Operator> elementwise_operators() { return kRows; }

}  // namespace covenant::compiler::operators
