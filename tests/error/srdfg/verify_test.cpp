#include "compiler/operators/verify.h"

#include <functional>
#include <gtest/gtest.h>

namespace covenant::compiler::srdfg {
namespace {

/// quantize -> conv -> dequantize, well formed.
Graph sample() {
  Graph graph{.name = "sample"};
  const Quantization per_tensor{{0.5F}, {3}};
  graph.values = {
      {.name = "x", .dtype = DType::kF32, .shape = {1, 2, 5, 4}, .modifier = Modifier::kInput},
      {.name = "q", .dtype = DType::kU8, .shape = {1, 2, 5, 4}, .quantization = per_tensor},
      {.name = "w",
       .dtype = DType::kI8,
       .shape = {3, 2, 2, 2},
       .modifier = Modifier::kParam,
       .quantization = Quantization{{1, 2, 3}, {0, 0, 0}, 0},
       .data = std::vector<uint8_t>(24)},
      {.name = "b", .dtype = DType::kI32, .shape = {3}, .modifier = Modifier::kParam, .data = std::vector<uint8_t>(12)},
      {.name = "y",
       .dtype = DType::kU8,
       .shape = {1, 3, 3, 3},
       .modifier = Modifier::kState,
       .quantization = per_tensor},
      {.name = "z", .dtype = DType::kF32, .shape = {1, 3, 3, 3}, .modifier = Modifier::kOutput},
  };
  graph.inputs = {ValueId{0}};
  graph.outputs = {ValueId{5}};
  Node conv{.name = "layer", .operation = "conv", .body = {}};
  conv.attributes = {{"strides", std::vector<int64_t>{2, 1}},
                     {"pads", std::vector<int64_t>{1, 0, 0, 0}},
                     {"lowest", int64_t{0}},
                     {"highest", int64_t{255}}};
  conv.inputs = {ValueId{1}, ValueId{2}, ValueId{3}};
  conv.outputs = {ValueId{4}};
  graph.nodes = {
      {.name = "in", .operation = "quantize", .inputs = {ValueId{0}}, .outputs = {ValueId{1}}, .body = {}},
      conv,
      {.name = "out", .operation = "dequantize", .inputs = {ValueId{4}}, .outputs = {ValueId{5}}, .body = {}}};
  return graph;
}

/// Gives the layer of the sample the body that consists of itself.
Graph& with_body(Graph& graph) {
  Node& layer = graph.nodes[1];
  Graph body{.name = "layer"};
  for (const ValueId id : {layer.inputs[0], layer.inputs[1], layer.inputs[2], layer.outputs[0]}) {
    body.values.push_back(graph.get(id));
    body.values.back().data.clear();
    body.values.back().modifier = body.values.size() == 4 ? Modifier::kOutput : Modifier::kInput;
  }
  body.inputs = {ValueId{0}, ValueId{1}, ValueId{2}};
  body.outputs = {ValueId{3}};
  body.nodes = {layer};
  body.nodes[0].inputs = body.inputs;
  body.nodes[0].outputs = body.outputs;
  layer.body = {std::move(body)};
  return layer.body[0];
}

/// Two inputs of a component that are its outputs, too.
void pass_through(Graph& graph) {
  Graph body{.name = "same", .values = {graph.values[4]}, .inputs = {ValueId{0}}, .outputs = {ValueId{0}}};
  body.values[0].modifier = Modifier::kInput;
  graph.values.push_back(graph.values[4]);
  graph.nodes.insert(graph.nodes.begin() + 2, {.name = "same",
                                               .operation = "Same",
                                               .inputs = {ValueId{4}},
                                               .outputs = {ValueId{6}},
                                               .body = {std::move(body)}});
}

TEST(Verify, AcceptsBodies) {
  Graph graph = sample();
  with_body(graph);
  const Status own = operators::verify_normalized(graph);
  EXPECT_TRUE(own) << render(own.error());
  graph.nodes[1].operation = "Component";
  const Status component = operators::verify_normalized(graph);
  EXPECT_TRUE(component) << render(component.error());
}

TEST(Verify, AcceptsTheSample) {
  const Status status = operators::verify_normalized(sample());
  EXPECT_TRUE(status) << render(status.error());
}

struct Case {
  const char* name;
  std::function<void(Graph&)> damage;
  const char* message;
};

class BadGraph : public testing::TestWithParam<Case> {};

TEST_P(BadGraph, IsRefused) {
  Graph graph = sample();
  GetParam().damage(graph);
  const Status status = operators::verify_normalized(graph);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, "ONX0019");
  EXPECT_NE(status.error().message.find(GetParam().message), std::string::npos) << render(status.error());
}

INSTANTIATE_TEST_SUITE_P(
    All, BadGraph,
    testing::Values(
        Case{"Range", [](Graph& g) { g.nodes[1].inputs[0] = ValueId{99}; }, "no value"},
        Case{"Order", [](Graph& g) { std::swap(g.nodes[0], g.nodes[1]); }, "before it is made"},
        Case{"Twice", [](Graph& g) { g.nodes[2].outputs = {ValueId{4}}; }, "made twice"},
        Case{"Data", [](Graph& g) { g.values[3].data.pop_back(); }, "longer or shorter"},
        Case{"StateData", [](Graph& g) { g.values[4].data = {1}; }, "no param"},
        Case{"Overflow", [](Graph& g) { g.values[4].shape = {1ULL << 40, 1ULL << 40}; }, "too many elements"},
        Case{"Axis", [](Graph& g) { g.values[2].quantization->axis = 4; }, "outside the shape"},
        Case{"Scales", [](Graph& g) { g.values[2].quantization->axis = 1; }, "axis is long"},
        Case{"Output", [](Graph& g) { g.nodes.pop_back(); }, "nothing makes"},
        Case{"Modifier", [](Graph& g) { g.values[0].modifier = Modifier::kState; }, "not called input"},
        Case{"Body", [](Graph& g) { g.nodes[1].body = {Graph{}}; }, "not those of the node"},
        Case{"BodyPort", [](Graph& g) { with_body(g).values[1].quantization.reset(); }, "not those of the node"},
        Case{"BodyWithoutMaker", [](Graph& g) { with_body(g).nodes.clear(); }, "nothing makes"},
        Case{"BodyOperation", [](Graph& g) { with_body(g).nodes[0].operation = "Conv"; }, "not in operators.h"},
        Case{"BodyThatPassesThrough", [](Graph& g) { pass_through(g); }, "no node of it makes"},
        Case{"Operation", [](Graph& g) { g.nodes[1].operation = "Conv"; }, "not in operators.h"},
        Case{"Count", [](Graph& g) { g.nodes[1].inputs = {ValueId{1}}; }, "wrong number"},
        Case{"Attribute", [](Graph& g) { g.nodes[1].attributes.erase("pads"); }, "pads is missing"},
        Case{"Length", [](Graph& g) { g.nodes[1].attributes["pads"] = std::vector<int64_t>{1}; }, "right length"},
        Case{"Stride", [](Graph& g) { g.nodes[1].attributes["strides"] = std::vector<int64_t>{0, 1}; }, "out of range"},
        Case{"Unknown", [](Graph& g) { g.nodes[1].attributes["group_size"] = int64_t{1}; }, "does not have"},
        Case{"Group", [](Graph& g) { g.nodes[1].attributes["group"] = int64_t{1}; }, "no number of groups"},
        Case{"Groups", [](Graph& g) { g.nodes[1].attributes["group"] = int64_t{2}; }, "do not fit"},
        Case{"Dilations", [](Graph& g) { g.nodes[1].attributes["dilations"] = std::vector<int64_t>{1}; },
             "wrong dilations"},
        Case{"Reach", [](Graph& g) { g.nodes[1].attributes["dilations"] = std::vector<int64_t>{9, 1}; }, "do not fit"},
        Case{"Crossed", [](Graph& g) { g.nodes[1].attributes["lowest"] = int64_t{300}; }, "above highest"},
        Case{"Clamp", [](Graph& g) { g.nodes[1].attributes["highest"] = int64_t{256}; }, "outside the dtype"},
        Case{"Dtype", [](Graph& g) { g.values[4].dtype = DType::kI8; }, "outside the dtype"},
        Case{"ZeroPoint", [](Graph& g) { g.values[1].quantization->zero_points = {256}; },
             "wrong dtype or quantisation"},
        Case{"Weights", [](Graph& g) { g.values[2].quantization->zero_points = {0, 1, 0}; }, "with a zero point"},
        Case{"Bias", [](Graph& g) { g.nodes[1].inputs[2] = ValueId{2}; }, "a bias"},
        Case{"BiasType", [](Graph& g) { g.values[3].dtype = DType::kU32; }, "a bias"},
        Case{"BiasShape", [](Graph& g) { g.values[3].shape = {1, 3}; }, "a bias"},
        Case{"Shape", [](Graph& g) { g.values[4].shape = {1, 3, 3, 2}; }, "do not fit"}),
    [](const auto& entry) { return entry.param.name; });

// ---- Operations that only move elements

using List = std::vector<int64_t>;
using Shape = std::vector<uint64_t>;

/// The mistake in one node from stored tensors of `inputs` to one of `output`; empty if there is none.
std::string mistake_in(const std::string& operation, const std::map<std::string, Attribute>& attributes,
                       const std::vector<Shape>& inputs, const Shape& output) {
  Graph graph{.name = "sample"};
  Node node{.name = "n", .operation = operation, .attributes = attributes, .body = {}};
  const auto add = [&](const Shape& shape, Modifier modifier) {
    const ValueId id{static_cast<uint32_t>(graph.values.size())};
    graph.values.push_back({.name = "v" + std::to_string(id.value),
                            .dtype = DType::kU8,
                            .shape = shape,
                            .modifier = modifier,
                            .quantization = Quantization{{0.5F}, {3}}});
    return id;
  };
  for (const Shape& shape : inputs) node.inputs.push_back(add(shape, Modifier::kInput));
  node.outputs = {add(output, Modifier::kOutput)};
  graph.inputs = node.inputs;
  graph.outputs = node.outputs;
  graph.nodes = {node};
  const Status status = operators::verify_normalized(graph);
  return status ? "" : status.error().message;
}

TEST(Movements, ReshapesKeepTheNumberOfElements) {
  EXPECT_EQ(mistake_in("reshape", {}, {{2, 3}}, {6, 1}), "");
  EXPECT_NE(mistake_in("reshape", {}, {{2, 3}}, {6, 2}), "");
  EXPECT_NE(mistake_in("reshape", {{"axis", int64_t{0}}}, {{2, 3}}, {6, 1}), "");
  EXPECT_NE(mistake_in("reshape", {}, {{2, 3}, {2, 3}}, {6, 1}), "");
}

TEST(Movements, PermutationsNameEveryDimensionOnce) {
  const auto mistake = [](const List& permutation, const Shape& y) {
    return mistake_in("transpose", {{"permutation", permutation}}, {{2, 3, 4}}, y);
  };
  EXPECT_EQ(mistake({2, 0, 1}, {4, 2, 3}), "");
  for (const List& wrong : {List{2, 0, 0}, List{3, 0, 1}, List{-1, 0, 1}}) {
    EXPECT_NE(mistake(wrong, {4, 2, 3}).find("every dimension once"), std::string::npos);
  }
  EXPECT_NE(mistake({2, 0, 1}, {4, 3, 2}).find("do not fit"), std::string::npos);
  EXPECT_NE(mistake({2, 0, 1}, {4, 2, 3, 1}).find("rank"), std::string::npos);
  EXPECT_NE(mistake({2, 0}, {4, 2}).find("right length"), std::string::npos);
}

TEST(Movements, TensorsOfAnyRankAreTurned) {
  Shape x(70'000, 1);
  x.back() = 2;
  const Shape y(x.rbegin(), x.rend());
  List backwards;
  for (size_t d = x.size(); d-- > 0;) backwards.push_back(static_cast<int64_t>(d));
  EXPECT_EQ(mistake_in("transpose", {{"permutation", backwards}}, {x}, y), "");
}

TEST(Movements, SlicesEndWithinTheirInput) {
  const auto mistake = [](const List& starts, const List& steps, const Shape& y) {
    return mistake_in("slice", {{"starts", starts}, {"steps", steps}}, {{2, 7}}, y);
  };
  EXPECT_EQ(mistake({1, 2}, {1, 2}, {1, 3}), "");
  EXPECT_NE(mistake({1, 3}, {1, 2}, {1, 3}).find("past the end"), std::string::npos);
  EXPECT_NE(mistake({2, 0}, {1, 1}, {1, 7}).find("past the end"), std::string::npos);
  EXPECT_NE(mistake({-1, 0}, {1, 1}, {1, 7}).find("out of range"), std::string::npos);
  EXPECT_NE(mistake({0, 0}, {1, 0}, {1, 7}).find("out of range"), std::string::npos);
}

TEST(Movements, RepetitionsAreWholeFactors) {
  const auto mistake = [](const List& factors, const Shape& y) {
    return mistake_in("repeat", {{"factors", factors}}, {{2, 3}}, y);
  };
  EXPECT_EQ(mistake({1, 4}, {2, 12}), "");
  EXPECT_NE(mistake({1, 4}, {2, 11}).find("do not fit"), std::string::npos);
  EXPECT_NE(mistake({0, 4}, {0, 12}), "");
}

TEST(Movements, PartsOfAConcatAddUp) {
  const auto mistake = [](int64_t axis, const std::vector<Shape>& parts, const Shape& y) {
    return mistake_in("concat", {{"axis", axis}}, parts, y);
  };
  EXPECT_EQ(mistake(1, {{2, 3}, {2, 1}, {2, 4}}, {2, 8}), "");
  EXPECT_NE(mistake(1, {{2, 3}, {2, 1}}, {2, 5}).find("do not fit"), std::string::npos);
  EXPECT_NE(mistake(1, {{2, 3}, {1, 1}}, {2, 4}).find("do not fit"), std::string::npos);
  EXPECT_NE(mistake(1, {{2, 3}, {2, 1, 1}}, {2, 4}).find("rank"), std::string::npos);
  EXPECT_NE(mistake(2, {{2, 3}, {2, 1}}, {2, 4}).find("outside the shape"), std::string::npos);
  EXPECT_NE(mistake(-1, {{2, 3}, {2, 1}}, {2, 4}).find("outside the shape"), std::string::npos);
}

}  // namespace
}  // namespace covenant::compiler::srdfg
