/// Operators that only move elements: the shape that a model gives them, and where each element goes.
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

#include "compiler/reference/evaluate.h"
#include "compiler/srdfg/queries.h"
#include "tests/error/frontend/model_builder.h"

namespace covenant::compiler::frontend {
namespace {

using onnx::ModelProto;
using srdfg::Graph;
using List = std::vector<int64_t>;

/// Input x of `shape`, quantised as q.
ModelProto image(const List& shape) {
  ModelProto model = empty_model();
  auto& dimensions = *model.mutable_graph()->mutable_input(0)->mutable_type()->mutable_tensor_type()->mutable_shape();
  dimensions.clear_dim();
  for (const int64_t extent : shape) dimensions.add_dim()->set_dim_value(extent);
  add_node(model, "QuantizeLinear", {"x", "scale", "zero"}, "q");
  return model;
}

/// A node from q to m, with constants after its first input.
onnx::NodeProto& add_moved(ModelProto& model, const std::string& operation, const std::vector<List>& constants) {
  std::vector<std::string> inputs{"q"};
  for (const List& constant : constants) {
    const std::string name = "constant" + std::to_string(inputs.size());
    add_tensor(model, name, onnx::TensorProto::INT64, {static_cast<int64_t>(constant.size())},
               {constant.begin(), constant.end()});
    inputs.push_back(name);
  }
  return add_node(model, operation, inputs, "m");
}

void add_word(onnx::NodeProto& node, const std::string& name, const std::string& word) {
  onnx::AttributeProto& attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(onnx::AttributeProto::STRING);
  attribute.set_s(word);
}

Graph loaded(ModelProto model) {
  add_node(model, "DequantizeLinear", {"m", "scale", "zero"}, "y");
  const Result<Graph> graph = load(model);
  if (!graph) throw std::runtime_error(render(graph.error()));
  return *graph;
}

List shape_of(const ModelProto& model) {
  const Graph graph = loaded(model);
  const std::vector<uint64_t>& shape = graph.get(graph.outputs.at(0)).shape;
  return {shape.begin(), shape.end()};
}

/// Elements of m if those of q are 0, 1, 2 and so on.
List elements_of(const ModelProto& model) {
  const Graph graph = loaded(model);
  const srdfg::Value& x = graph.get(graph.inputs.at(0));
  std::vector<float> numbers;
  for (uint64_t i = 0; i < srdfg::element_count(x.shape); ++i) numbers.push_back((static_cast<float>(i) - 3) / 16);
  const auto outputs = reference::evaluate(graph, {{"x", reference::make_tensor(x.shape, numbers)}});
  if (!outputs) throw std::runtime_error(render(outputs.error()));
  List elements;
  for (const float number : reference::reals(outputs->at("y"))) elements.push_back(std::lround(number * 16) + 3);
  return elements;
}

ModelProto moved(const List& shape, const std::string& operation, const std::vector<List>& constants = {}) {
  ModelProto model = image(shape);
  add_moved(model, operation, constants);
  return model;
}

TEST(Movement, SqueezesWhatHasOneIndex) {
  EXPECT_EQ(shape_of(moved({1, 2, 1, 3, 1}, "Squeeze")), (List{2, 3})) << "every such dimension, the first one too";
  EXPECT_EQ(shape_of(moved({1, 2, 1, 3, 1}, "Squeeze", {{2}})), (List{1, 2, 3, 1}));
  EXPECT_EQ(shape_of(moved({1, 2, 1, 3, 1}, "Squeeze", {{-1, 0}})), (List{2, 1, 3}));
}

TEST(Movement, UnsqueezesBetweenDimensions) {
  EXPECT_EQ(shape_of(moved({2, 3}, "Unsqueeze", {{0}})), (List{1, 2, 3}));
  EXPECT_EQ(shape_of(moved({2, 3}, "Unsqueeze", {{-1, 1}})), (List{2, 1, 3, 1}));
}

TEST(Movement, ReshapesWithOpenAndKeptExtents) {
  EXPECT_EQ(shape_of(moved({2, 3, 4}, "Reshape", {{0, -1}})), (List{2, 12}));
  EXPECT_EQ(shape_of(moved({2, 3, 4}, "Reshape", {{-1, 0, 2}})), (List{4, 3, 2}));
}

TEST(Movement, TransposesAsStatedOrBackwards) {
  EXPECT_EQ(elements_of(moved({2, 3}, "Transpose")), (List{0, 3, 1, 4, 2, 5}));
  ModelProto model = image({2, 1, 3});
  add_ints(add_moved(model, "Transpose", {}), "perm", {2, 0, 1});
  EXPECT_EQ(shape_of(model), (List{3, 2, 1}));
  EXPECT_EQ(elements_of(model), (List{0, 3, 1, 4, 2, 5}));
}

TEST(Movement, SlicesCountFromTheEndAndAreCut) {
  EXPECT_EQ(elements_of(moved({2, 5}, "Slice", {{1, 1}, {2, 4}})), (List{6, 7, 8}));
  EXPECT_EQ(elements_of(moved({2, 5}, "Slice", {{-4}, {1'000}, {-1}})), (List{1, 2, 3, 4, 6, 7, 8, 9}));
  EXPECT_EQ(elements_of(moved({2, 5}, "Slice", {{0, -9}, {5, -1}, {1, 0}, {2, 1}})), (List{0, 2, 4}));
}

TEST(Movement, ConcatsAlongAnyDimension) {
  for (const int64_t axis : {0, 1, -1}) {
    ModelProto model = image({2, 2});
    add_int(add_node(model, "Concat", {"q", "q"}, "m"), "axis", axis);
    EXPECT_EQ(shape_of(model), axis == 0 ? (List{4, 2}) : (List{2, 4}));
    EXPECT_EQ(elements_of(model), axis == 0 ? (List{0, 1, 2, 3, 0, 1, 2, 3}) : (List{0, 1, 0, 1, 2, 3, 2, 3}));
  }
}

TEST(Movement, ExpandsWhatHasOneIndex) {
  EXPECT_EQ(elements_of(moved({2, 1}, "Expand", {{2, 3}})), (List{0, 0, 0, 1, 1, 1}));
  EXPECT_EQ(elements_of(moved({1, 3}, "Expand", {{2, 1}})), (List{0, 1, 2, 0, 1, 2}));
}

/// Resizes images of 1 x 2 by whole factors, given as `scales` or `sizes`, with the given coordinate and rounding
/// modes.
ModelProto resized(const List& shape, bool has_sizes, const std::string& transformation, const std::string& rounding) {
  ModelProto model = image(shape);
  if (has_sizes) {
    add_tensor(model, "sizes", onnx::TensorProto::INT64, {4},
               {1, 1, static_cast<int32_t>(shape[2]), static_cast<int32_t>(2 * shape[3])});
  } else {
    add_tensor(model, "scales", onnx::TensorProto::FLOAT, {4}, {16, 16, 16, 32});
  }
  const std::vector<std::string> inputs{"q", "", has_sizes ? "" : "scales", has_sizes ? "sizes" : ""};
  onnx::NodeProto& resize = add_node(model, "Resize", inputs, "m");
  add_word(resize, "mode", "nearest");
  add_word(resize, "coordinate_transformation_mode", transformation);
  add_word(resize, "nearest_mode", rounding);
  return model;
}

TEST(Movement, ResizesRepeatEveryElementEquallyOften) {
  for (const bool has_sizes : {false, true}) {
    EXPECT_EQ(elements_of(resized({1, 1, 2, 2}, has_sizes, "asymmetric", "floor")), (List{0, 0, 1, 1, 2, 2, 3, 3}));
    EXPECT_EQ(elements_of(resized({1, 1, 1, 2}, has_sizes, "half_pixel", "round_prefer_ceil")), (List{0, 0, 1, 1}));
  }
}

TEST(Movement, ScalesBesideTheRatioOfSizesRepeatNothing) {
  const auto taken = [](int32_t sixteenths) {
    ModelProto model = image({1, 1, 1, 5});
    add_tensor(model, "scales", onnx::TensorProto::FLOAT, {4}, {16, 16, 16, sixteenths});
    onnx::NodeProto& resize = add_node(model, "Resize", {"q", "", "scales"}, "m");
    add_word(resize, "coordinate_transformation_mode", "asymmetric");
    add_word(resize, "nearest_mode", "floor");
    add_node(model, "DequantizeLinear", {"m", "scale", "zero"}, "y");
    return static_cast<bool>(load(model));
  };
  EXPECT_TRUE(taken(32));
  EXPECT_TRUE(taken(16));
  EXPECT_FALSE(taken(34));  // 10 pixels, as by 2, from other places
  EXPECT_FALSE(taken(17));  // 5 pixels, as by 1
}

TEST(Movement, ResizesRowsOfAnyLength) {
  const List shape{1, 1, 1, 40'000};
  EXPECT_EQ(shape_of(resized(shape, true, "half_pixel", "round_prefer_floor")), (List{1, 1, 1, 80'000}));
  EXPECT_EQ(shape_of(resized(shape, true, "asymmetric", "floor")), (List{1, 1, 1, 80'000}));
}

TEST(Movement, SplitsAreSlices) {
  for (const bool has_sizes : {false, true}) {
    ModelProto model = image({2, 3});
    if (has_sizes) add_tensor(model, "sizes", onnx::TensorProto::INT64, {2}, {1, 2});
    onnx::NodeProto& split = add_node(model, "Split", {"q"}, "left");
    if (has_sizes) split.add_input("sizes");
    split.add_output("right");
    add_int(split, "axis", -1);
    add_int(add_node(model, "Concat", {"right", "left"}, "m"), "axis", 1);
    EXPECT_EQ(elements_of(model), has_sizes ? (List{1, 2, 0, 4, 5, 3}) : (List{2, 0, 1, 5, 3, 4}));
  }
}

TEST(Movement, BlocksOfChannelsBecomeBlocksOfPixels) {
  const auto spread = [](const std::string& mode) {
    ModelProto model = image({1, 8, 1, 1});
    onnx::NodeProto& node = add_moved(model, "DepthToSpace", {});
    add_int(node, "blocksize", 2);
    if (!mode.empty()) add_word(node, "mode", mode);
    EXPECT_EQ(shape_of(model), (List{1, 2, 2, 2}));
    return elements_of(model);
  };
  EXPECT_EQ(spread("CRD"), (List{0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(spread("DCR"), (List{0, 2, 4, 6, 1, 3, 5, 7}));
  EXPECT_EQ(spread(""), spread("DCR"));
  ModelProto model = image({1, 2, 2, 2});
  add_int(add_moved(model, "SpaceToDepth", {}), "blocksize", 2);
  EXPECT_EQ(shape_of(model), (List{1, 8, 1, 1}));
  EXPECT_EQ(elements_of(model), (List{0, 4, 1, 5, 2, 6, 3, 7}));
}

/// Operations of the nodes between the first quantisation and the last dequantisation.
std::vector<std::string> operations_of(const Graph& graph) {
  std::vector<std::string> operations;
  for (const srdfg::Node& node : graph.nodes) {
    if (node.operation != "quantize" && node.operation != "dequantize") operations.push_back(node.operation);
  }
  return operations;
}

/// q, dequantised, transposed and quantised again, under another scale or not.
Graph moved_in_float(const std::string& scale) {
  ModelProto model = image({1, 2, 3, 4});
  add_node(model, "DequantizeLinear", {"q", "scale", "zero"}, "real");
  add_node(model, "Transpose", {"real"}, "turned");
  add_node(model, "QuantizeLinear", {"turned", scale, "zero"}, "m");
  add_node(model, "DequantizeLinear", {"m", scale, "zero"}, "y");
  const Result<Graph> graph = load(model);
  if (!graph) throw std::runtime_error(render(graph.error()));
  return *graph;
}

TEST(Movement, BetweenEqualScalesItMovesStoredValues) {
  EXPECT_EQ(operations_of(moved_in_float("scale")), (std::vector<std::string>{"transpose"}));
}

TEST(Movement, AnotherScaleIsATable) {
  const Graph graph = moved_in_float("half");
  EXPECT_EQ(operations_of(graph), (std::vector<std::string>{"transpose", "lookup"}));
  const auto lookup =
      std::find_if(graph.nodes.begin(), graph.nodes.end(), [](const auto& node) { return node.operation == "lookup"; });
  const std::vector<uint8_t>& table = graph.get(lookup->inputs.at(1)).data;
  ASSERT_EQ(table.size(), 256U);
  const float from = graph.get(lookup->inputs[0]).quantization->scales[0];
  const float to = graph.get(lookup->outputs[0]).quantization->scales[0];
  const auto zero = static_cast<float>(graph.get(lookup->outputs[0]).quantization->zero_points[0]);
  for (size_t byte = 0; byte < 256; ++byte) {
    const float real = (static_cast<float>(byte) - zero) * from;
    EXPECT_EQ(table[byte], static_cast<uint8_t>(std::clamp(std::nearbyint(real / to) + zero, 0.0F, 255.0F))) << byte;
  }
}

}  // namespace
}  // namespace covenant::compiler::frontend
