#include "compiler/srdfg/verify_rows.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "compiler/srdfg/queries.h"

namespace covenant::compiler::srdfg {
namespace {

constexpr const char* kShapes = "shapes that do not fit the operation";
constexpr const char* kDtypes = "operands of the wrong dtypes";
using Shape = std::vector<uint64_t>;

std::string_view mistake_in_product(const Node& node, const Graph& graph) {
  const Shape& a = graph.get(node.inputs[0]).shape;
  const Shape& y = graph.get(node.outputs[0]).shape;
  const Value& b = graph.get(node.inputs[1]);
  if (!is_activation(b)) return "operands that are no activations";
  if (b.shape != Shape{a[0], a[2], y[2]} || y != Shape{a[0], a[1], y[2]}) return kShapes;
  if (node.operation == "matmul") return "";
  const Value& columns = graph.get(node.inputs[2]);
  if (columns.shape != Shape{y[0], 1, y[2]}) return kShapes;
  bool are_sums = b.dtype == DType::kI8 && columns.dtype == DType::kI32;
  if (node.inputs.size() > 3) {
    const Value& rows = graph.get(node.inputs[3]);
    if (rows.shape != Shape{y[0], y[1], 1}) return kShapes;
    are_sums = are_sums && rows.dtype == DType::kI32;
  }
  return are_sums ? "" : kDtypes;
}

/// Checks gains and offsets: one each per column.
std::string_view mistake_in_columns(const Node& node, const Graph& graph, size_t first) {
  const uint64_t columns = graph.get(node.inputs[0]).shape[2];
  for (size_t i = first; i < node.inputs.size(); ++i) {
    const Value& value = graph.get(node.inputs[i]);
    if (value.modifier != Modifier::kParam || value.dtype != DType::kF32 || value.shape != Shape{columns}) {
      return "gains or offsets that are no f32 param of one element per column";
    }
  }
  return "";
}

std::string_view mistake_in_normalisation(const Node& node, const Graph& graph) {
  const Shape& x = graph.get(node.inputs[0]).shape;
  if (graph.get(node.outputs[0]).shape != x) return kShapes;
  if (x[2] > 65536) return "rows of more than 65,536 elements";
  if (node.operation == "layer_norm") return mistake_in_columns(node, graph, 1);
  if (node.operation == "scale_columns") {
    return graph.get(node.inputs[0]).dtype == DType::kF32 ? mistake_in_columns(node, graph, 1) : kDtypes;
  }
  for (const size_t i : {size_t{1}, size_t{2}}) {
    const Value& row = graph.get(node.inputs[i]);
    if (row.shape != Shape{x[0], x[1], 1}) return kShapes;
    if (row.dtype != DType::kF32) return kDtypes;
  }
  return "";
}

/// Checks operations that turn numbers per row (sums, or what was made of them) into numbers per row.
std::string_view mistake_in_row_numbers(const Node& node, const Graph& graph) {
  const Value& y = graph.get(node.outputs[0]);
  if (y.dtype != DType::kF32 || y.quantization) return "an output that is no unquantised f32";
  const bool is_real = node.operation == "row_variance" || node.operation == "row_deviation";
  for (const ValueId id : node.inputs) {
    const Value& x = graph.get(id);
    if (x.dtype != (is_real ? DType::kF32 : DType::kI32)) return kDtypes;
    if (x.shape != y.shape || y.shape.back() != 1) return kShapes;
  }
  return "";
}

}  // namespace

bool works_on_rows(std::string_view operation) {
  constexpr std::array<std::string_view, 11> kOperations{
      "matmul",      "row_sums",     "column_sums",   "matmul_stored",  "layer_norm",   "row_mean",
      "row_squares", "row_variance", "row_deviation", "normalize_rows", "scale_columns"};
  return std::ranges::find(kOperations, operation) != kOperations.end();
}

bool is_normalisation(std::string_view operation) {
  return operation == "normalize_rows" || operation == "scale_columns" || is_row_number(operation);
}

bool is_row_number(std::string_view operation) {
  constexpr std::array<std::string_view, 4> kOperations{"row_mean", "row_squares", "row_variance", "row_deviation"};
  return std::ranges::find(kOperations, operation) != kOperations.end();
}

std::string_view mistake_on_rows(const Node& node, const Graph& graph) {
  const Shape& x = graph.get(node.inputs[0]).shape;
  const Shape& y = graph.get(node.outputs[0]).shape;
  if (node.operation == "row_sums") return y == Shape{x[0], x[1], 1} ? "" : kShapes;
  if (node.operation == "column_sums") return y == Shape{x[0], 1, x[2]} ? "" : kShapes;
  if (is_row_number(node.operation)) return mistake_in_row_numbers(node, graph);
  return node.operation.starts_with("matmul") ? mistake_in_product(node, graph) : mistake_in_normalisation(node, graph);
}

std::string_view mistake_in_row_attributes(const Node& node, size_t& known) {
  const auto number = [&](const char* name) {
    const auto found = node.attributes.find(name);
    const auto* value = found == node.attributes.end() ? nullptr : std::get_if<double>(&found->second);
    known += value == nullptr ? 0 : 1;
    return value == nullptr ? std::nan("") : *value;
  };
  const auto integer = [&](const char* name, int64_t least, int64_t most) {
    const auto found = node.attributes.find(name);
    const auto* value = found == node.attributes.end() ? nullptr : std::get_if<int64_t>(&found->second);
    known += value == nullptr ? 0 : 1;
    return value != nullptr && *value >= least && *value <= most;
  };
  if (node.operation == "row_sums" || node.operation == "column_sums") {
    return integer("factor", -255, 255) ? "" : "a factor that is no difference of two bytes";
  }
  if ((node.operation == "row_mean" || node.operation == "row_variance") &&
      !(integer("count", 1, INT32_MAX) && number("scale") > 0)) {
    return "count or scale is missing";
  }
  if ((node.operation == "layer_norm" || node.operation == "row_deviation") && !(number("epsilon") >= 0)) {
    return "epsilon is missing or below 0";
  }
  return "";
}

}  // namespace covenant::compiler::srdfg
