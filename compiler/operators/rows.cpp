#include <array>

#include "compiler/operators/checks.h"
#include "compiler/operators/matmul_template.h"
#include "compiler/operators/norm_template.h"
#include "compiler/operators/table.h"
#include "compiler/srdfg/queries.h"

namespace covenant::compiler::operators {
namespace {

using srdfg::Graph;
using srdfg::Node;
using srdfg::Value;

constexpr uint64_t kMostColumns = 65536;  // sums of squares in two tables of bytes are exact in f32 up to here

// ---- Attributes

std::string factor_mistake(const srdfg::Attribute& attribute) {
  const auto* factor = std::get_if<int64_t>(&attribute);
  const bool fits = factor != nullptr && *factor >= -255 && *factor <= 255;
  return fits ? "" : "a factor that is no difference of two bytes";
}

std::string count_mistake(const srdfg::Attribute& attribute) {
  const auto* count = std::get_if<int64_t>(&attribute);
  return count != nullptr && *count >= 1 && *count <= INT32_MAX ? "" : "a count that is no number of elements";
}

std::string scale_mistake(const srdfg::Attribute& attribute) {
  const auto* scale = std::get_if<double>(&attribute);
  return scale != nullptr && *scale > 0 ? "" : "a scale that is not above 0";
}

std::string epsilon_mistake(const srdfg::Attribute& attribute) {
  const auto* epsilon = std::get_if<double>(&attribute);
  return epsilon != nullptr && *epsilon >= 0 ? "" : "an epsilon below 0";
}

constexpr AttributeRule kEpsilon{"epsilon", epsilon_mistake};
constexpr std::array kFactors{AttributeRule{"factor", factor_mistake}};
constexpr std::array kMeans{AttributeRule{"count", count_mistake}, AttributeRule{"scale", scale_mistake}};
constexpr std::array kEpsilons{kEpsilon};
constexpr AttributeRule kGroups{"groups", count_mistake};
constexpr std::array kGroupSums{kGroups};
constexpr std::array kGroupNorms{kEpsilon, kGroups};

// ---- Shapes

std::string product_shapes(const Node& node, const Graph& graph) {
  const Shape& a = shape_of_input(node, graph);
  const Shape& y = shape_of_output(node, graph);
  const Value& b = graph.get(node.inputs[1]);
  if (!srdfg::is_activation(b)) return "operands that are no activations";
  return b.shape == Shape{a[0], a[2], y[2]} && y == Shape{a[0], a[1], y[2]} ? "" : kWrongShapes;
}

/// A product of stored values, with the sums of columns and, if there is a fourth operand, of rows.
std::string stored_product_shapes(const Node& node, const Graph& graph) {
  if (std::string mistake = product_shapes(node, graph); !mistake.empty()) return mistake;
  const Shape& y = shape_of_output(node, graph);
  const Value& columns = graph.get(node.inputs[2]);
  if (columns.shape != Shape{y[0], 1, y[2]}) return kWrongShapes;
  bool are_sums = graph.get(node.inputs[1]).dtype == DType::kI8 && columns.dtype == DType::kI32;
  if (node.inputs.size() > 3) {
    const Value& rows = graph.get(node.inputs[3]);
    if (rows.shape != Shape{y[0], y[1], 1}) return kWrongShapes;
    are_sums = are_sums && rows.dtype == DType::kI32;
  }
  return are_sums ? "" : kWrongDtypes;
}

std::string row_sums_shapes(const Node& node, const Graph& graph) {
  const Shape& x = shape_of_input(node, graph);
  return shape_of_output(node, graph) == Shape{x[0], x[1], 1} ? "" : kWrongShapes;
}

std::string column_sums_shapes(const Node& node, const Graph& graph) {
  const Shape& x = shape_of_input(node, graph);
  return shape_of_output(node, graph) == Shape{x[0], 1, x[2]} ? "" : kWrongShapes;
}

/// Checks numbers of rows or of channels that are made of sums (i32), or of other such numbers (f32).
template <DType dtype>
std::string numbers_shapes(const Node& node, const Graph& graph) {
  const Shape& y = shape_of_output(node, graph);
  const bool is_one_each = y.size() == 2 || (y.size() == 3 && y[2] == 1);
  for (const srdfg::ValueId id : node.inputs) {
    const Value& x = graph.get(id);
    if (x.dtype != dtype) return kWrongDtypes;
    if (x.shape != y || !is_one_each) return kWrongShapes;
  }
  return "";
}

std::string scaling_shapes(const Node& node, const Graph& graph) {
  const Shape& x = shape_of_input(node, graph);
  if (shape_of_output(node, graph) != x) return kWrongShapes;
  return x[2] > kMostColumns ? "rows of more than 65,536 elements" : "";
}

/// Checks gains and offsets: one each per column, or per row.
std::string column_scaling_shapes(const Node& node, const Graph& graph) {
  if (std::string mistake = scaling_shapes(node, graph); !mistake.empty()) return mistake;
  const Shape& x = shape_of_input(node, graph);
  const Shape& gains = graph.get(node.inputs[1]).shape;
  for (size_t i = 1; i < node.inputs.size(); ++i) {
    const Value& value = graph.get(node.inputs[i]);
    const bool is_right = value.shape == gains && (gains == Shape{x[2]} || gains == Shape{x[1], 1});
    if (value.modifier != srdfg::Modifier::kParam || value.dtype != DType::kF32 || !is_right) {
      return "gains or offsets that are no f32 param of one element per column or per row";
    }
  }
  return "";
}

/// Checks means and deviations: one each per row.
std::string row_scaling_shapes(const Node& node, const Graph& graph) {
  if (std::string mistake = scaling_shapes(node, graph); !mistake.empty()) return mistake;
  const Shape& x = shape_of_input(node, graph);
  for (size_t i = 1; i < node.inputs.size(); ++i) {
    const Value& row = graph.get(node.inputs[i]);
    if (row.shape != Shape{x[0], x[1], 1}) return kWrongShapes;
    if (row.dtype != DType::kF32) return kWrongDtypes;
  }
  return "";
}

/// Checks that an image has whole groups of channels, each with few enough elements.
std::string group_mistake(const Shape& image, uint64_t groups) {
  if (groups == 0 || image[1] % groups != 0) return "groups that do not divide the channels";
  return image[1] / groups * image[2] * image[3] > kMostColumns ? "groups of more than 65,536 elements" : "";
}

std::string channel_sums_shapes(const Node& node, const Graph& graph) {
  const Shape& x = shape_of_input(node, graph);
  if (x.size() != 4 || shape_of_output(node, graph) != Shape{x[0], x[1]}) return kWrongShapes;
  return group_mistake(x, static_cast<uint64_t>(srdfg::integer_attribute(node, "groups")));
}

/// Checks gains and offsets: one each per channel.
std::string channel_scaling_shapes(const Node& node, const Graph& graph) {
  const Shape& x = shape_of_input(node, graph);
  if (shape_of_output(node, graph) != x) return kWrongShapes;
  for (size_t i = 1; i < node.inputs.size(); ++i) {
    const Value& value = graph.get(node.inputs[i]);
    if (value.modifier != srdfg::Modifier::kParam || value.dtype != DType::kF32 || value.shape != Shape{x[1]}) {
      return "gains or offsets that are no f32 param of one element per channel";
    }
  }
  return "";
}

std::string channel_norm_shapes(const Node& node, const Graph& graph) {
  if (std::string mistake = channel_scaling_shapes(node, graph); !mistake.empty()) return mistake;
  return group_mistake(shape_of_input(node, graph), static_cast<uint64_t>(srdfg::integer_attribute(node, "groups")));
}

/// Checks means and deviations: one each per channel.
std::string channel_centring_shapes(const Node& node, const Graph& graph) {
  const Shape& x = shape_of_input(node, graph);
  if (shape_of_output(node, graph) != x) return kWrongShapes;
  for (size_t i = 1; i < node.inputs.size(); ++i) {
    const Value& number = graph.get(node.inputs[i]);
    if (number.shape != Shape{x[0], x[1]}) return kWrongShapes;
    if (number.dtype != DType::kF32) return kWrongDtypes;
  }
  return "";
}

// ---- Rows of the table

using Check = std::string (*)(const Node&, const Graph&);

constexpr Operator sums(std::string_view name, Check shapes) {
  return {.name = name,
          .kind = OperatorClass::kRowSums,
          .rank = 3,
          .makes = TensorKind::kSums,
          .sums = true,
          .attributes = kFactors,
          .shapes = shapes};
}

constexpr Operator number(std::string_view name, size_t inputs, std::span<const AttributeRule> attributes,
                          Check shapes) {
  return {.name = name,
          .kind = OperatorClass::kRowNumber,
          .least_inputs = inputs,
          .most_inputs = inputs,
          .reads = TensorKind::kOwn,
          .makes = TensorKind::kReal,
          .attributes = attributes,
          .shapes = shapes};
}

constexpr std::array kRows{
    Operator{.name = "matmul",
             .kind = OperatorClass::kRowProduct,
             .least_inputs = 2,
             .most_inputs = 2,
             .rank = 3,
             .sums = true,
             .clamps = true,
             .shapes = product_shapes,
             .body = matmul_body},
    Operator{.name = "matmul_stored",
             .kind = OperatorClass::kRowProduct,
             .least_inputs = 3,
             .most_inputs = 4,
             .rank = 3,
             .sums = true,
             .clamps = true,
             .shapes = stored_product_shapes},
    sums("row_sums", row_sums_shapes),
    sums("column_sums", column_sums_shapes),
    number("row_mean", 1, kMeans, numbers_shapes<DType::kI32>),
    number("row_squares", 2, {}, numbers_shapes<DType::kI32>),
    number("row_variance", 2, kMeans, numbers_shapes<DType::kF32>),
    number("row_deviation", 1, kEpsilons, numbers_shapes<DType::kF32>),
    Operator{.name = "layer_norm",
             .kind = OperatorClass::kRowScaling,
             .least_inputs = 3,
             .most_inputs = 3,
             .rank = 3,
             .table = Table::kSquares,
             .sums = true,
             .clamps = true,
             .attributes = kEpsilons,
             .shapes = column_scaling_shapes,
             .body = layer_norm_body},
    Operator{.name = "normalize_rows",
             .kind = OperatorClass::kRowScaling,
             .least_inputs = 3,
             .most_inputs = 3,
             .rank = 3,
             .makes = TensorKind::kReal,
             .shapes = row_scaling_shapes},
    Operator{.name = "scale_columns",
             .kind = OperatorClass::kRowScaling,
             .least_inputs = 3,
             .most_inputs = 3,
             .rank = 3,
             .reads = TensorKind::kReal,
             .clamps = true,
             .shapes = column_scaling_shapes},
    Operator{.name = "channel_norm",
             .kind = OperatorClass::kRowScaling,
             .least_inputs = 3,
             .most_inputs = 3,
             .rank = 4,
             .table = Table::kSquares,
             .sums = true,
             .clamps = true,
             .attributes = kGroupNorms,
             .shapes = channel_norm_shapes,
             .body = channel_norm_body},
    Operator{.name = "channel_sums",
             .kind = OperatorClass::kRowSums,
             .makes = TensorKind::kSums,
             .sums = true,
             .attributes = kGroupSums,
             .shapes = channel_sums_shapes},
    Operator{.name = "normalize_channels",
             .kind = OperatorClass::kRowScaling,
             .least_inputs = 3,
             .most_inputs = 3,
             .rank = 4,
             .makes = TensorKind::kReal,
             .shapes = channel_centring_shapes},
    Operator{.name = "scale_channels",
             .kind = OperatorClass::kRowScaling,
             .least_inputs = 3,
             .most_inputs = 3,
             .rank = 4,
             .reads = TensorKind::kReal,
             .writes_parts = true,
             .clamps = true,
             .shapes = channel_scaling_shapes},
};

}  // namespace

std::span<const Operator> row_operators() { return kRows; }

}  // namespace covenant::compiler::operators
