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

/// Sums over rows or groups of channels, numbers made of them, and what takes such numbers.
struct Parts {
  const char* sums = nullptr;
  const char* centre = nullptr;
  const char* scale = nullptr;
  std::vector<uint64_t> numbers{};  ///< shape of sums and numbers
  uint64_t count = 0;               ///< elements that each stands for
  std::map<std::string, Attribute> summed{};
};

/// Adds the parts to the body of `node`, a normalisation.
Graph norm_body(BodyBuilder& body, const Node& node, const Parts& parts) {
  const ValueId x = body.input(0);
  const Value input = body.get(x);
  const auto number = [&](const std::string& name, const char* operation, std::vector<ValueId> inputs, DType dtype,
                          std::map<std::string, Attribute> attributes) {
    return body.add(name, operation, std::move(inputs), {.name = name, .dtype = dtype, .shape = parts.numbers},
                    std::move(attributes));
  };
  const auto sum = [&](const std::string& name, ValueId of) {
    return number(name, parts.sums, {of}, DType::kI32, parts.summed);
  };
  const ValueId total = sum(node.name + "/sum", x);
  const ValueId high = sum(node.name + "/high_sum", squares(body, node.name + "/high", x, 8));
  const ValueId low = sum(node.name + "/low_sum", squares(body, node.name + "/low", x, 0));
  const std::map<std::string, Attribute> attributes{{"count", static_cast<int64_t>(parts.count)},
                                                    {"scale", double{input.quantization.value().scales[0]}}};
  const ValueId mean = number(node.name + "/mean", "row_mean", {total}, DType::kF32, attributes);
  const ValueId square_sum = number(node.name + "/square_sum", "row_squares", {high, low}, DType::kF32, {});
  const ValueId variance = number(node.name + "/variance", "row_variance", {mean, square_sum}, DType::kF32, attributes);
  const ValueId deviation = number(node.name + "/deviation", "row_deviation", {variance}, DType::kF32,
                                   {{"epsilon", node.attributes.at("epsilon")}});
  const ValueId even = body.add(node.name + "/even", parts.centre, {x, mean, deviation},
                                {.name = node.name + "/even", .dtype = DType::kF32, .shape = input.shape});
  std::vector<ValueId> inputs{even};
  for (size_t i = 1; i < node.inputs.size(); ++i) inputs.push_back(body.input(i));
  std::map<std::string, Attribute> scaling = node.attributes;
  scaling.erase("epsilon");
  scaling.erase("groups");
  return body.finish(parts.scale, std::move(inputs), std::move(scaling));
}

}  // namespace

Graph layer_norm_body(const Graph& graph, const Node& node) {
  BodyBuilder body(graph, node);
  const std::vector<uint64_t>& x = graph.get(node.inputs[0]).shape;
  return norm_body(body, node,
                   {.sums = "row_sums",
                    .centre = "normalize_rows",
                    .scale = "scale_columns",
                    .numbers = {x[0], x[1], 1},
                    .count = x[2],
                    .summed = {{"factor", int64_t{1}}}});
}

Graph channel_norm_body(const Graph& graph, const Node& node) {
  BodyBuilder body(graph, node);
  const std::vector<uint64_t>& x = graph.get(node.inputs[0]).shape;
  const Attribute& groups = node.attributes.at("groups");
  return norm_body(body, node,
                   {.sums = "channel_sums",
                    .centre = "normalize_channels",
                    .scale = "scale_channels",
                    .numbers = {x[0], x[1]},
                    .count = x[1] / static_cast<uint64_t>(std::get<int64_t>(groups)) * x[2] * x[3],
                    .summed = {{"groups", groups}}});
}

}  // namespace covenant::compiler::operators
