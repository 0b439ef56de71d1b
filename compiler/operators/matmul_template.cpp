#include "compiler/operators/matmul_template.h"

#include <string>
#include <utility>
#include <vector>

#include "compiler/operators/body_builder.h"

namespace covenant::compiler::operators {
namespace {

using srdfg::Graph;
using srdfg::Modifier;
using srdfg::Node;
using srdfg::Value;
using srdfg::ValueId;

int32_t zero_point(const Value& value) { return value.quantization.value().zero_points[0]; }

ValueId signed_operand(BodyBuilder& body, ValueId id) {
  Value value = body.get(id);
  if (info(value.dtype).is_signed) return id;
  const std::string name = value.name + "/signed";
  value.name = name;
  value.dtype = with_sign(value.dtype);
  value.modifier = Modifier::kState;
  value.quantization->zero_points[0] += static_cast<int32_t>(lowest(value.dtype));
  return body.add(name, "to_signed", {id}, std::move(value));
}

Value sums(const std::string& name, std::vector<uint64_t> shape) {
  return {.name = name, .dtype = DType::kI32, .shape = std::move(shape)};
}

}  // namespace

Graph matmul_body(const Graph& graph, const Node& node) {
  BodyBuilder body(graph, node);
  const ValueId a = body.input(0);
  const ValueId b = signed_operand(body, body.input(1));
  const std::vector<uint64_t> y = body.output().shape;
  Value columns = sums(node.name + "/columns", {y[0], 1, y[2]});
  ValueId column_sums;
  if (const int64_t factor = -int64_t{zero_point(body.get(a))}; factor != 0) {
    const std::string name = columns.name;
    column_sums = body.add(name, "column_sums", {b}, std::move(columns), {{"factor", factor}});
  } else {
    columns.modifier = Modifier::kParam;
    columns.data.resize(y[0] * y[2] * sizeof(int32_t));
    column_sums = body.add(std::move(columns));
  }
  std::vector<ValueId> inputs{a, b, column_sums};
  if (const int64_t factor = zero_point(body.get(b)); factor != 0) {
    Value rows = sums(node.name + "/rows", {y[0], y[1], 1});
    const std::string name = rows.name;
    inputs.push_back(body.add(name, "row_sums", {a}, std::move(rows), {{"factor", factor}}));
  }
  return body.finish("matmul_stored", std::move(inputs), node.attributes);
}

}  // namespace covenant::compiler::operators
