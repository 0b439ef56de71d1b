/// Results that are quantised, clipped and quantised again with one scale: scale 1/16, zero point 3.
#include "compiler/frontends/onnx/limited.h"

#include <algorithm>
#include <gtest/gtest.h>

#include "compiler/operators/verify.h"
#include "compiler/srdfg/queries.h"
#include "tests/error/frontend/model_builder.h"

namespace covenant::compiler::frontend {
namespace {

using onnx::ModelProto;
using onnx::TensorProto;
using srdfg::Graph;

onnx::NodeProto& node(ModelProto& model, int index) { return *model.mutable_graph()->mutable_node(index); }

/// Conv, Relu, QuantizeLinear, DequantizeLinear, Clip up to 1, QuantizeLinear.
ModelProto limited() {
  ModelProto model = qdq_model();
  add_tensor(model, "one", TensorProto::FLOAT, {}, {0}).set_float_data(0, 1.0F);
  node(model, 7).set_output(0, "l");
  add_node(model, "Clip", {"l", "", "one"}, "m");
  add_node(model, "QuantizeLinear", {"m", "scale", "zero"}, "n");
  add_node(model, "DequantizeLinear", {"n", "scale", "zero"}, "y");
  return model;
}

std::vector<std::string> operations(const ModelProto& model) {
  const Result<Graph> graph = load(model);
  EXPECT_TRUE(graph) << (graph ? "" : render(graph.error()));
  std::vector<std::string> names;
  if (!graph) return names;
  EXPECT_TRUE(operators::verify_normalized(*graph));
  for (const srdfg::Node& one : graph->nodes) names.push_back(one.operation);
  return names;
}

const std::vector<std::string> kOne{"quantize", "conv", "dequantize"};
const std::vector<std::string> kTwo{"quantize", "conv", "clip", "dequantize"};

TEST(Limited, IsAPartOfTheLayer) {
  EXPECT_EQ(operations(limited()), kOne);
  const Result<Graph> graph = load(limited());
  ASSERT_TRUE(graph);
  const srdfg::Node& conv = graph->nodes.at(1);
  EXPECT_EQ(std::get<int64_t>(conv.attributes.at("lowest")), 3);
  EXPECT_EQ(std::get<int64_t>(conv.attributes.at("highest")), 19);
  EXPECT_EQ(graph->get(conv.outputs[0]).name, "n");
}

TEST(Limited, TwiceIsOncePerPair) {
  ModelProto model = limited();
  node(model, 10).set_output(0, "o");
  add_node(model, "Relu", {"o"}, "p");
  add_node(model, "QuantizeLinear", {"p", "scale", "zero"}, "r2");
  add_node(model, "DequantizeLinear", {"r2", "scale", "zero"}, "y");
  EXPECT_EQ(operations(model), kTwo);
}

TEST(Limited, IsALayerOfItsOwnWhereSomethingElseReadsInBetween) {
  for (const char* name : {"e", "l"}) {
    ModelProto model = limited();
    model.mutable_graph()->add_output()->set_name(name);
    std::vector<std::string> wanted = kTwo;
    if (std::string(name) == "l") wanted.insert(wanted.begin() + 2, "dequantize");
    EXPECT_EQ(operations(model), wanted) << name;
  }
}

TEST(Limited, AnotherScaleIsRefusedAsBefore) {
  ModelProto model = limited();
  node(model, 9).set_input(1, "half");
  node(model, 10).set_input(1, "half");
  const Result<Graph> graph = load(model);
  ASSERT_FALSE(graph);
  EXPECT_EQ(graph.error().code, "ONX0016");
}

TEST(Limited, AfterAMovementItStaysALayer) {
  ModelProto model = limited();
  node(model, 4).set_op_type("MaxPool");  // of the quantised input itself
  node(model, 4).clear_attribute();
  node(model, 4).mutable_input()->DeleteSubrange(1, 2);
  add_ints(node(model, 4), "kernel_shape", {1, 1});
  const std::vector<std::string> found = operations(model);
  EXPECT_EQ(std::ranges::count(found, "clip"), 2) << "the Relu, and the Clip";
}

}  // namespace
}  // namespace covenant::compiler::frontend
