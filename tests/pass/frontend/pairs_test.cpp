/// Sums and products of operands that differ in shape, or of which one is constant.
#include <gtest/gtest.h>

#include "compiler/srdfg/queries.h"
#include "tests/error/frontend/model_builder.h"

namespace covenant::compiler::frontend {
namespace {

using onnx::ModelProto;
using srdfg::Graph;
using srdfg::Modifier;
using srdfg::Node;
using srdfg::Value;
using List = std::vector<int64_t>;

/// q, an image [1,2,2,3], beside a constant of `shape`: 0, 1, 2 and so on.
Graph paired(const std::string& operation, const List& shape, bool constant_first) {
  ModelProto model = empty_model();
  auto& dimensions = *model.mutable_graph()->mutable_input(0)->mutable_type()->mutable_tensor_type()->mutable_shape();
  dimensions.clear_dim();
  for (const int64_t extent : {1, 2, 2, 3}) dimensions.add_dim()->set_dim_value(extent);
  add_node(model, "QuantizeLinear", {"x", "scale", "zero"}, "q");
  int64_t count = 1;
  for (const int64_t extent : shape) count *= extent;
  std::vector<int32_t> elements;
  for (int32_t i = 0; i < count; ++i) elements.push_back(i);
  add_tensor(model, "c", onnx::TensorProto::UINT8, shape, elements);
  const std::string first = constant_first ? "c" : "q";
  const std::string second = constant_first ? "q" : "c";
  add_node(model, operation, {first, "scale", "zero", second, "scale", "zero", "half", "zero"}, "m")
      .set_domain("com.microsoft");
  add_node(model, "DequantizeLinear", {"m", "half", "zero"}, "y");
  const Result<Graph> graph = load(model);
  if (!graph) throw std::runtime_error(render(graph.error()));
  return *graph;
}

const Node& pair_of(const Graph& graph) {
  for (const Node& node : graph.nodes) {
    if (node.operation == "add" || node.operation == "mul") return node;
  }
  throw std::runtime_error("no sum, no product");
}

bool constant_is_inner(const List& shape, bool constant_first) {
  const Graph graph = paired("QLinearAdd", shape, constant_first);
  return graph.get(pair_of(graph).inputs.at(0)).modifier == Modifier::kParam;
}

TEST(Pairs, TheSecondOperandOfASumIsTheInnerOne) {
  EXPECT_TRUE(constant_is_inner({1, 2, 2, 3}, false));
  EXPECT_FALSE(constant_is_inner({1, 2, 2, 3}, true));
  EXPECT_TRUE(constant_is_inner({3}, false)) << "a row varies where the image does";
  EXPECT_FALSE(constant_is_inner({3}, true));
}

TEST(Pairs, WhatIsConstantAlongTheRowIsTheInnerOperand) {
  EXPECT_TRUE(constant_is_inner({1, 2, 1, 1}, false));
  EXPECT_TRUE(constant_is_inner({1, 2, 1, 1}, true));
  EXPECT_TRUE(constant_is_inner({1}, true));
}

TEST(Pairs, ConstantsAreWrittenOut) {
  const Graph graph = paired("QLinearMul", {2, 1, 1}, false);
  const Value& constant = graph.get(pair_of(graph).inputs.at(1));
  EXPECT_EQ(constant.shape, (std::vector<uint64_t>{1, 2, 2, 3}));
  EXPECT_EQ(constant.data, (std::vector<uint8_t>{0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1}));
  const Graph rows = paired("QLinearMul", {2, 1}, true);
  const Value& column = rows.get(pair_of(rows).inputs.at(1));
  EXPECT_EQ(column.data, (std::vector<uint8_t>{0, 0, 0, 1, 1, 1, 0, 0, 0, 1, 1, 1}));
}

}  // namespace
}  // namespace covenant::compiler::frontend
