#include "compiler/frontends/onnx/normalize.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <set>

#include "compiler/frontends/onnx/load_model.h"
#include "compiler/frontends/onnx/onnx.h"
#include "compiler/operators/verify.h"
#include "compiler/srdfg/parse.h"
#include "compiler/srdfg/print.h"
#include "compiler/srdfg/queries.h"
#include "tests/error/frontend/model_builder.h"
#include "tests/support/folders.h"

namespace covenant::compiler::frontend {
namespace {

using srdfg::Graph;
using srdfg::Node;
using srdfg::Value;

std::string path_of(const std::string& style) {
  return source_folder() + "/examples/01_digits/digits_" + style + ".onnx";
}

Graph digits(const std::string& style) {
  Result<Graph> graph = load_model(path_of(style));
  EXPECT_TRUE(graph) << render(graph.error());
  return graph ? *graph : Graph{};
}

std::vector<std::string> names_of(const Graph& graph, std::string Node::* field) {
  std::vector<std::string> names;
  for (const Node& node : graph.nodes) names.push_back(node.*field);
  return names;
}

class Digits : public testing::TestWithParam<const char*> {};

TEST_P(Digits, BecomesElevenNodes) {
  const Graph graph = digits(GetParam());
  ASSERT_TRUE(operators::verify_normalized(graph));
  const std::vector<std::string> operations{"quantize", "conv", "conv",      "add",
                                            "max_pool", "conv", "conv",      "global_average_pool",
                                            "reshape",  "gemm", "dequantize"};
  EXPECT_EQ(names_of(graph, &Node::operation), operations);
  EXPECT_EQ(graph.get(graph.inputs.at(0)).name, "image");
  EXPECT_EQ(graph.get(graph.outputs.at(0)).name, "logits");
}

TEST_P(Digits, PrintsAndParsesBack) {
  for (const Graph& graph : {digits(GetParam()), *read_onnx(path_of(GetParam()))}) {
    const Result<Graph> parsed = srdfg::parse(srdfg::print(graph));
    ASSERT_TRUE(parsed) << render(parsed.error());
    EXPECT_EQ(*parsed, graph);
  }
}

TEST_P(Digits, IsReadTheSameTwice) { EXPECT_EQ(digits(GetParam()), digits(GetParam())); }

TEST_P(Digits, TurnsTheClassifierAndSwapsTheSum) {
  const Graph graph = digits(GetParam());
  const Value& weights = graph.get(graph.nodes[9].inputs[1]);
  EXPECT_EQ(weights.shape, (std::vector<uint64_t>{32, 10}));
  const Graph model = *read_onnx(path_of(GetParam()));
  const auto found = std::ranges::find(model.values, "classifier.weight_quantized", &Value::name);
  ASSERT_NE(found, model.values.end());
  const Value& stored = *found;
  for (size_t o = 0; o < 10; ++o) {
    for (size_t k = 0; k < 32; ++k) ASSERT_EQ(weights.data[k * 10 + o], stored.data[o * 32 + k]);
  }
  // The residual sum: conv2's result is the model's first operand, so it comes last here.
  EXPECT_EQ(graph.nodes[3].inputs[1], graph.nodes[2].outputs[0]);
  EXPECT_EQ(graph.nodes[3].inputs[0], graph.nodes[1].outputs[0]);
}

INSTANTIATE_TEST_SUITE_P(Styles, Digits, testing::Values("qoperator", "qdq"),
                         [](const auto& entry) { return std::string(entry.param); });

TEST(DigitsQdq, KeepsScalesPerChannel) {
  const Graph graph = digits("qdq");
  EXPECT_EQ(graph.get(graph.nodes[1].inputs[1]).quantization.value().scales.size(), 16U);
  EXPECT_EQ(graph.get(graph.nodes[9].inputs[1]).quantization.value().axis, 1);
  EXPECT_EQ(graph.get(graph.nodes[1].outputs[0]).dtype, DType::kI8);
  EXPECT_EQ(graph.nodes[1].name, "conv1");
}

TEST(DigitsQoperator, KeepsOneScalePerTensor) {
  const Graph graph = digits("qoperator");
  EXPECT_EQ(graph.get(graph.nodes[1].inputs[1]).quantization.value().axis, -1);
  EXPECT_EQ(graph.get(graph.nodes[1].outputs[0]).dtype, DType::kU8);
  EXPECT_EQ(graph.nodes[6].attributes.at("strides"), srdfg::Attribute(std::vector<int64_t>{2, 2}));
}

TEST(Pools, WhoseWindowsAreAMillionElementsLongAreRead) {
  constexpr int64_t kSize = 1 << 20;
  onnx::ModelProto model = empty_model();
  add_node(model, "QuantizeLinear", {"x", "scale", "zero"}, "q");
  onnx::NodeProto& pool = add_node(model, "MaxPool", {"q"}, "p");
  add_ints(pool, "kernel_shape", {kSize, 1});
  add_ints(pool, "pads", {kSize - 1, 0, kSize - 1, 0});
  add_node(model, "DequantizeLinear", {"p", "scale", "zero"}, "y");
  const Result<Graph> graph = load(model);
  ASSERT_TRUE(graph) << render(graph.error());
  EXPECT_EQ(graph->get(graph->nodes.at(1).outputs[0]).shape, (std::vector<uint64_t>{1, 2, kSize + 3, 4}));
}

/// Nodes named as the model's input, as its outputs, and as a value between them; what is stored is an output too.
class SharedNames : public testing::TestWithParam<bool> {};

TEST_P(SharedNames, LeaveTheModelsInputsAndOutputsTheirs) {
  onnx::ModelProto model = GetParam() ? qdq_model() : qoperator_model();
  const std::string stored = GetParam() ? "e" : "c";
  model.mutable_graph()->add_output()->set_name(stored);
  const std::vector<std::string> names{"y", "x", stored, "q"};
  for (int i = 0; i < model.graph().node_size(); ++i) {
    model.mutable_graph()->mutable_node(i)->set_name(names[static_cast<size_t>(i) % names.size()]);
  }
  const Result<Graph> graph = load(model);
  ASSERT_TRUE(graph) << render(graph.error());
  EXPECT_EQ(graph->get(graph->inputs.at(0)).name, "x");
  EXPECT_EQ(graph->get(graph->outputs.at(0)).name, "y");
  EXPECT_EQ(graph->get(graph->outputs.at(1)).name, stored);
  std::set<std::string> all;
  for (const Value& value : graph->values) EXPECT_TRUE(all.insert(value.name).second) << value.name;
  for (const Node& node : graph->nodes) EXPECT_TRUE(all.insert(node.name).second) << node.name;
}

INSTANTIATE_TEST_SUITE_P(Styles, SharedNames, testing::Values(false, true),
                         [](const auto& entry) { return entry.param ? "qdq" : "qoperator"; });

}  // namespace
}  // namespace covenant::compiler::frontend
