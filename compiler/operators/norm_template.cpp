#include "compiler/operators/norm_template.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "compiler/operators/body_builder.h"

namespace covenant::compiler::operators {
namespace {

using srdfg::Attribute;
using srdfg::Graph;
using srdfg::Modifier;
using srdfg::Node;
using srdfg::Quantization;
using srdfg::Value;
using srdfg::ValueId;

/// A byte of the square of each element less the zero point (for signed tensors both less 128).
ValueId squares(BodyBuilder& body, const std::string& name, ValueId x, int32_t shift) {
  const Value value = body.get(x);
  const bool is_signed = value.dtype == DType::kI8;
  const int32_t zero_point = value.quantization.value().zero_points[0];
  Value table{.name = name + "/table", .dtype = value.dtype, .shape = {256}, .modifier = Modifier::kParam};
  for (int32_t byte = 0; byte < 256; ++byte) {
    const int32_t less = (is_signed ? int32_t{static_cast<int8_t>(byte)} : byte) - zero_point;
    table.data.push_back(static_cast<uint8_t>((less * less >> shift) - (is_signed ? 128 : 0)));
  }
  const ValueId entries = body.add(std::move(table));
  return body.add(name, "lookup", {x, entries},
                  {.name = name,
                   .dtype = value.dtype,
                   .shape = value.shape,
                   .quantization = Quantization{{1.0F}, {is_signed ? -128 : 0}, -1}});
}

}  // namespace

Graph layer_norm_body(const Graph& graph, const Node& node) {
  BodyBuilder body(graph, node);
  const ValueId x = body.input(0);
  const Value input = body.get(x);
  const std::vector<uint64_t> rows{input.shape[0], input.shape[1], 1};
  const auto row_number = [&](const std::string& name, const char* operation, std::vector<ValueId> inputs, DType dtype,
                              std::map<std::string, Attribute> attributes) {
    return body.add(name, operation, std::move(inputs), {.name = name, .dtype = dtype, .shape = rows},
                    std::move(attributes));
  };
  const auto sum = [&](const std::string& name, ValueId of) {
    return row_number(name, "row_sums", {of}, DType::kI32, {{"factor", int64_t{1}}});
  };
  const ValueId total = sum(node.name + "/sum", x);
  const ValueId high = sum(node.name + "/high_sum", squares(body, node.name + "/high", x, 8));
  const ValueId low = sum(node.name + "/low_sum", squares(body, node.name + "/low", x, 0));
  std::map<std::string, Attribute> attributes{{"count", static_cast<int64_t>(input.shape[2])},
                                              {"scale", double{input.quantization.value().scales[0]}}};
  const ValueId mean = row_number(node.name + "/mean", "row_mean", {total}, DType::kF32, attributes);
  const ValueId square_sum = row_number(node.name + "/square_sum", "row_squares", {high, low}, DType::kF32, {});
  const ValueId variance =
      row_number(node.name + "/variance", "row_variance", {mean, square_sum}, DType::kF32, attributes);
  const ValueId deviation = row_number(node.name + "/deviation", "row_deviation", {variance}, DType::kF32,
                                       {{"epsilon", node.attributes.at("epsilon")}});
  const ValueId even = body.add(node.name + "/even", "normalize_rows", {x, mean, deviation},
                                {.name = node.name + "/even", .dtype = DType::kF32, .shape = input.shape});
  std::vector<ValueId> inputs{even};
  for (size_t i = 1; i < node.inputs.size(); ++i) inputs.push_back(body.input(i));
  std::map<std::string, Attribute> scaling = node.attributes;
  scaling.erase("epsilon");
  return body.finish("scale_columns", std::move(inputs), std::move(scaling));
}

}  // namespace covenant::compiler::operators
