/// Semantics of models in corner cases: odd pads, dilated kernels, bounds that tie or cross, scales that are just off,
/// zero points of every channel.
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <optional>

#include "compiler/srdfg/queries.h"
#include "tests/error/frontend/model_builder.h"

namespace covenant::compiler::frontend {
namespace {

using onnx::ModelProto;
using onnx::TensorProto;
using srdfg::Graph;
using List = std::vector<int64_t>;

onnx::NodeProto& node(ModelProto& model, int index) { return *model.mutable_graph()->mutable_node(index); }

TensorProto& tensor(ModelProto& model, const std::string& name) {
  for (TensorProto& entry : *model.mutable_graph()->mutable_initializer()) {
    if (entry.name() == name) return entry;
  }
  throw std::runtime_error("no tensor " + name);
}

void add_float(ModelProto& model, const std::string& name, float value) {
  add_tensor(model, name, TensorProto::FLOAT, {}, {0}).set_float_data(0, value);
}

std::string code_of(const ModelProto& model) {
  const Result<Graph> graph = load(model);
  return graph ? "" : graph.error().code;
}

/// The second node, after the one that quantises: attribute `name` of the layer.
template <class T>
T attribute(const ModelProto& model, const std::string& name) {
  const Result<Graph> graph = load(model);
  if (!graph) throw std::runtime_error(render(graph.error()));
  return std::get<T>(graph->nodes.at(1).attributes.at(name));
}

// ---- Windows: images of 4 x 4

ModelProto window(const List& kernel, const std::string& auto_pad, const List& dilations = {1, 1}) {
  ModelProto model = qoperator_model();
  const std::vector<int32_t> ones(static_cast<size_t>(4 * kernel[0] * kernel[1]), 1);
  add_tensor(model, "wk", TensorProto::INT8, {2, 2, kernel[0], kernel[1]}, ones);
  node(model, 1).set_input(3, "wk");
  add_ints(node(model, 1), "dilations", dilations);
  onnx::AttributeProto& attribute = *node(model, 1).add_attribute();
  attribute.set_name("auto_pad");
  attribute.set_type(onnx::AttributeProto::STRING);
  attribute.set_s(auto_pad);
  return model;
}

std::vector<uint64_t> output_of(const ModelProto& model) {
  const Result<Graph> graph = load(model);
  if (!graph) throw std::runtime_error(render(graph.error()));
  return graph->get(graph->nodes.at(1).outputs[0]).shape;
}

TEST(Windows, TheOddPadLiesWhereTheModelSays) {
  EXPECT_EQ(attribute<List>(window({2, 4}, "SAME_UPPER"), "pads"), (List{0, 1, 1, 2}));
  EXPECT_EQ(attribute<List>(window({2, 4}, "SAME_LOWER"), "pads"), (List{1, 2, 0, 1}));
  EXPECT_EQ(output_of(window({2, 4}, "SAME_LOWER")), (std::vector<uint64_t>{1, 2, 4, 4}));
}

TEST(Windows, GapsBelongToTheKernel) {
  EXPECT_EQ(output_of(window({2, 2}, "VALID", {3, 1})), (std::vector<uint64_t>{1, 2, 1, 3}));
  EXPECT_EQ(attribute<List>(window({2, 2}, "SAME_UPPER", {3, 1}), "pads"), (List{1, 0, 2, 1}));
  EXPECT_EQ(code_of(window({2, 2}, "VALID", {4, 1})), "ONX0009");
}

TEST(Windows, AKernelMayBeAsLargeAsTheImageAndNoLarger) {
  EXPECT_EQ(output_of(window({4, 4}, "VALID")), (std::vector<uint64_t>{1, 2, 1, 1}));
  EXPECT_EQ(code_of(window({5, 4}, "VALID")), "ONX0009");
  EXPECT_EQ(code_of(window({4, 5}, "VALID")), "ONX0009");
}

/// A pool of `kernel` rows and one column.
ModelProto pool(const List& pads, int64_t ceil_mode, int64_t kernel = 2, int64_t stride = 3, int64_t dilation = 1) {
  ModelProto model = qoperator_model();
  onnx::NodeProto& one = node(model, 1);
  one.set_op_type("MaxPool");
  one.mutable_input()->DeleteSubrange(1, one.input_size() - 1);
  one.clear_attribute();
  add_ints(one, "kernel_shape", {kernel, 1});
  add_ints(one, "strides", {stride, 1});
  add_ints(one, "pads", pads);
  add_int(one, "ceil_mode", ceil_mode);
  if (dilation > 1) add_ints(one, "dilations", {dilation, 1});
  return model;
}

TEST(Windows, ALastOneReachesPastTheEndIfTheModelSaysSo) {
  EXPECT_EQ(output_of(pool({0, 0, 0, 0}, 0)), (std::vector<uint64_t>{1, 2, 1, 4}));
  EXPECT_EQ(output_of(pool({0, 0, 0, 0}, 1)), (std::vector<uint64_t>{1, 2, 2, 4})) << "from row 3 on";
  EXPECT_EQ(attribute<List>(pool({0, 0, 0, 0}, 1), "pads"), (List{0, 0, 1, 0}));
  EXPECT_EQ(output_of(pool({0, 0, 0, 0}, 1, 2, 2)), (std::vector<uint64_t>{1, 2, 2, 4})) << "they end with the image";
  EXPECT_EQ(attribute<List>(pool({0, 0, 1, 0}, 1, 2, 2), "pads"), (List{0, 0, 1, 0})) << "none begins in the padding";
  EXPECT_EQ(output_of(pool({1, 0, 0, 0}, 1, 3, 3)), (std::vector<uint64_t>{1, 2, 2, 4}));
  EXPECT_EQ(attribute<List>(pool({1, 0, 0, 0}, 1, 3, 3), "pads"), (List{1, 0, 1, 0}));
}

TEST(Windows, TheLastOneMayReachAsFarAsItsKernelIsWideIfItHasGaps) {
  EXPECT_EQ(attribute<List>(pool({0, 0, 0, 0}, 1, 2, 3, 2), "pads"), (List{0, 0, 2, 0}));
  EXPECT_EQ(code_of(pool({0, 0, 2, 0}, 0, 2, 3, 2)), "ONX0009") << "pads that are stated may not";
  EXPECT_EQ(code_of(pool({2, 0, 0, 0}, 0)), "ONX0009");
}

TEST(Windows, TheOnlyOneMayBeLargerThanTheImageIfItMayReachPastTheEnd) {
  EXPECT_EQ(output_of(pool({0, 0, 0, 0}, 1, 6)), (std::vector<uint64_t>{1, 2, 1, 4}));
  EXPECT_EQ(attribute<List>(pool({0, 0, 0, 0}, 1, 6), "pads"), (List{0, 0, 2, 0}));
  EXPECT_EQ(code_of(pool({0, 0, 0, 0}, 1, 7)), "ONX0009") << "by less than a stride";
  EXPECT_EQ(code_of(pool({0, 0, 0, 0}, 0, 5)), "ONX0009");
}

ModelProto softmax(int64_t opset, std::optional<int64_t> axis) {
  ModelProto model = qoperator_model();
  for (auto& import : *model.mutable_opset_import()) {
    if (import.domain().empty()) import.set_version(opset);
  }
  onnx::NodeProto& one = node(model, 1);
  const std::vector<std::string> inputs{one.input(0), one.input(1), one.input(2), one.input(6), one.input(7)};
  one.set_op_type("QLinearSoftmax");
  one.set_domain("com.microsoft");
  one.clear_input();
  one.clear_attribute();
  for (const std::string& input : inputs) one.add_input(input);
  if (axis) add_int(one, "axis", *axis);
  return model;
}

TEST(Softmax, RunsAlongTheDimensionThatItsOpsetMeans) {
  EXPECT_EQ(attribute<int64_t>(softmax(13, std::nullopt), "axis"), 3);
  EXPECT_EQ(attribute<int64_t>(softmax(13, 1), "axis"), 1);
  EXPECT_EQ(attribute<int64_t>(softmax(13, -2), "axis"), 2);
  EXPECT_EQ(attribute<int64_t>(softmax(12, 3), "axis"), 3);
  EXPECT_EQ(code_of(softmax(12, std::nullopt)), "ONX0010") << "channels, rows and columns together";
  EXPECT_EQ(code_of(softmax(12, 2)), "ONX0010");
  EXPECT_EQ(code_of(softmax(13, 4)), "ONX0009");
  EXPECT_EQ(code_of(softmax(13, -5)), "ONX0009");
}

// ---- Shapes

/// Input x of `shape`, quantised and flattened before `axis`.
std::vector<uint64_t> flattened(const std::vector<int64_t>& shape, int64_t axis) {
  ModelProto model = qoperator_model();
  auto& dimensions = *model.mutable_graph()->mutable_input(0)->mutable_type()->mutable_tensor_type()->mutable_shape();
  dimensions.clear_dim();
  for (const int64_t extent : shape) dimensions.add_dim()->set_dim_value(extent);
  onnx::NodeProto& flatten = node(model, 1);
  flatten.set_op_type("Flatten");
  flatten.mutable_input()->DeleteSubrange(1, flatten.input_size() - 1);
  add_int(flatten, "axis", axis);
  return output_of(model);
}

TEST(Flatten, TakesTensorsOfAnyRank) {
  EXPECT_EQ(flattened({2, 3, 4}, 1), (std::vector<uint64_t>{2, 12}));
  EXPECT_EQ(flattened({2, 3, 4}, -1), (std::vector<uint64_t>{6, 4}));
  std::vector<int64_t> ones(40'000, 1);
  ones.front() = 2;
  ones.back() = 3;
  EXPECT_EQ(flattened(ones, -1), (std::vector<uint64_t>{2, 3}));
}

// ---- Constant operands: q has 2 channels of 4 x 4

/// Elements of the constant beside q, of `shape`, in a sum.
List beside(const List& shape, const std::vector<int32_t>& elements) {
  ModelProto model = empty_model();
  add_tensor(model, "k", TensorProto::UINT8, shape, elements);
  add_node(model, "QuantizeLinear", {"x", "scale", "zero"}, "q");
  add_node(model, "QLinearAdd", {"q", "scale", "zero", "k", "scale", "zero", "scale", "zero"}, "s")
      .set_domain("com.microsoft");
  add_node(model, "DequantizeLinear", {"s", "scale", "zero"}, "y");
  const Result<Graph> graph = load(model);
  if (!graph) throw std::runtime_error(render(graph.error()));
  for (const srdfg::ValueId id : graph->nodes.at(1).inputs) {
    const srdfg::Value& value = graph->get(id);
    if (value.modifier == srdfg::Modifier::kParam) return srdfg::integer_elements(value);
  }
  return {};
}

TEST(Constants, AreRepeatedWhereTheyHaveOneIndex) {
  const auto expected = [](const auto& element) {
    List elements;
    for (int64_t i = 0; i < 32; ++i) elements.push_back(element(i / 16, i / 4 % 4, i % 4));
    return elements;
  };
  using I = int64_t;
  EXPECT_EQ(beside({2, 1, 1}, {5, 9}), expected([](I channel, I, I) { return channel == 0 ? 5 : 9; }));
  EXPECT_EQ(beside({4}, {1, 2, 3, 4}), expected([](I, I, I column) { return 1 + column; }));
  EXPECT_EQ(beside({1, 2, 4, 1}, {0, 1, 2, 3, 4, 5, 6, 7}),
            expected([](I channel, I row, I) { return 4 * channel + row; }));
}

// ---- Bounds: scale 1/16, zero point 3

/// The Relu of the QDQ model replaced by Clips from `bounds`.
ModelProto clipped(const std::vector<std::pair<float, float>>& bounds) {
  ModelProto model = qdq_model();
  std::string from = "c";
  node(model, 5).set_op_type("Clip");
  node(model, 5).clear_input();
  for (size_t i = 0; i < bounds.size(); ++i) {
    const std::string low = "low" + std::to_string(i);
    const std::string high = "high" + std::to_string(i);
    add_float(model, low, bounds[i].first);
    add_float(model, high, bounds[i].second);
    if (i + 1 < bounds.size()) {
      const std::string to = "clip" + std::to_string(i);
      add_node(model, "Clip", {from, low, high}, to);
      // Nodes stand in the order in which they run.
      for (int at = model.graph().node_size() - 1; at > 5 + static_cast<int>(i); --at) {
        model.mutable_graph()->mutable_node()->SwapElements(at, at - 1);
      }
      from = to;
    } else {
      for (const std::string& input : {from, low, high}) node(model, 5 + static_cast<int>(i)).add_input(input);
    }
  }
  return model;
}

std::pair<int64_t, int64_t> stored(const ModelProto& model) {
  return {attribute<int64_t>(model, "lowest"), attribute<int64_t>(model, "highest")};
}
using Range = std::pair<int64_t, int64_t>;

TEST(Bounds, AreStoredAsTheirTensorIs) {
  EXPECT_EQ(stored(clipped({{0.25F, 1.0F}})), (Range{7, 19}));
  EXPECT_EQ(stored(clipped({{-100.0F, 100.0F}})), (Range{0, 255}));
}

TEST(Bounds, TiesAreRoundedToEven) {
  EXPECT_EQ(stored(clipped({{0.5F / 16, 2.5F / 16}})), (Range{3, 5}));
  EXPECT_EQ(stored(clipped({{1.5F / 16, 3.5F / 16}})), (Range{5, 7}));
}

TEST(Bounds, WhereTheyCrossTheUpperOneWins) { EXPECT_EQ(stored(clipped({{1.0F, 0.5F}})), (Range{11, 11})); }

TEST(Bounds, TheLastClipHasTheLastWord) {
  EXPECT_EQ(stored(clipped({{0.0F, 1.0F}, {0.25F, 0.5F}})), (Range{7, 11}));
  EXPECT_EQ(stored(clipped({{0.25F, 0.5F}, {0.0F, 1.0F}})), (Range{7, 11}));
  EXPECT_EQ(stored(clipped({{0.0F, 0.25F}, {0.5F, 1.0F}})), (Range{11, 11}));
  EXPECT_EQ(stored(clipped({{0.5F, 1.0F}, {0.0F, 0.25F}})), (Range{7, 7}));
}

TEST(Bounds, OfStoredValuesCrossAlike) {
  ModelProto model = empty_model();
  add_tensor(model, "nine", TensorProto::UINT8, {}, {9});
  add_tensor(model, "five", TensorProto::UINT8, {}, {5});
  add_node(model, "QuantizeLinear", {"x", "scale", "zero"}, "q");
  add_node(model, "Clip", {"q", "nine", "five"}, "c");
  add_node(model, "DequantizeLinear", {"c", "scale", "zero"}, "y");
  EXPECT_EQ(stored(model), (Range{5, 5}));
  node(model, 1).set_input(1, "five");
  node(model, 1).set_input(2, "nine");
  EXPECT_EQ(stored(model), (Range{5, 9}));
}

TEST(Bounds, OfStoredValuesAreOneConstantOfTheirType) {
  ModelProto model = empty_model();
  add_tensor(model, "nine", TensorProto::UINT8, {}, {9});
  add_tensor(model, "two", TensorProto::UINT8, {2}, {1, 9});
  add_tensor(model, "signed", TensorProto::INT8, {}, {9});
  add_node(model, "QuantizeLinear", {"x", "scale", "zero"}, "q");
  add_node(model, "Clip", {"q", "", "nine"}, "c");
  add_node(model, "DequantizeLinear", {"c", "scale", "zero"}, "y");
  EXPECT_EQ(stored(model), (Range{0, 9}));
  for (const char* bound : {"two", "signed", "q"}) {
    node(model, 1).set_input(2, bound);
    EXPECT_EQ(code_of(model), "ONX0010") << bound;
  }
}

// ---- Float results belong to one layer

TEST(FloatResults, AreReadOnce) {
  ModelProto model = qdq_model();
  add_node(model, "QuantizeLinear", {"c", "half", "zero"}, "again");
  add_node(model, "DequantizeLinear", {"again", "half", "zero"}, "y2");
  model.mutable_graph()->add_output()->set_name("y2");
  EXPECT_EQ(code_of(model), "ONX0014");
}

TEST(FloatResults, AreNoOutputs) {
  for (const char* name : {"c", "r"}) {
    ModelProto model = qdq_model();
    model.mutable_graph()->add_output()->set_name(name);
    EXPECT_EQ(code_of(model), "ONX0014") << name;
  }
}

// ---- Scales and zero points

TEST(Biases, HaveTheScaleOfTheSums) {
  const auto with_scale = [](float scale) {
    ModelProto model = qdq_model();
    tensor(model, "scale_b").set_float_data(0, scale);
    return code_of(model);
  };
  EXPECT_EQ(with_scale(1.0F / 256), "");
  EXPECT_EQ(with_scale(1.0005F / 256), "");
  EXPECT_EQ(with_scale(1.01F / 256), "ONX0015");
  EXPECT_EQ(with_scale(0.99F / 256), "ONX0015");
  ModelProto model = qdq_model();
  tensor(model, "zero_b").set_int32_data(0, 1);
  EXPECT_EQ(code_of(model), "ONX0015");
}

TEST(Scales, ArePositiveNumbers) {
  for (const float scale : {0.0F, -1.0F, std::numeric_limits<float>::infinity(), std::nanf("")}) {
    ModelProto model = qoperator_model();
    tensor(model, "scale").set_float_data(0, scale);
    const Result<Graph> graph = load(model);
    ASSERT_FALSE(graph) << scale;
    EXPECT_EQ(graph.error().code, "ONX0012") << scale;
    EXPECT_NE(graph.error().message.find("is not positive and finite"), std::string::npos) << graph.error().message;
  }
}

TEST(Scales, AreKeptByClips) {
  for (const char* operation : {"Relu", "Clip"}) {
    ModelProto model = empty_model();
    add_node(model, "QuantizeLinear", {"x", "scale", "zero"}, "q");
    add_node(model, "DequantizeLinear", {"q", "scale", "zero"}, "d");
    add_node(model, operation, {"d"}, "c");
    add_node(model, "QuantizeLinear", {"c", "half", "zero"}, "e");
    add_node(model, "DequantizeLinear", {"e", "half", "zero"}, "y");
    EXPECT_EQ(code_of(model), "ONX0016") << operation;
  }
}

/// The weights' DequantizeLinear with a scale for each channel along `axis`.
ModelProto per_channel(int64_t axis) {
  ModelProto model = qdq_model();
  add_tensor(model, "scales_w", TensorProto::FLOAT, {2}, {1, 2});
  add_tensor(model, "zeros_w", TensorProto::INT8, {2}, {0, 0});
  TensorProto& bias = add_tensor(model, "scales_b", TensorProto::FLOAT, {2}, {0, 0});
  bias.set_float_data(0, 1.0F / 256);
  bias.set_float_data(1, 2.0F / 256);
  add_tensor(model, "zeros_b", TensorProto::INT32, {2}, {0, 0});
  node(model, 2).set_input(1, "scales_w");
  node(model, 2).set_input(2, "zeros_w");
  add_int(node(model, 2), "axis", axis);
  node(model, 3).set_input(1, "scales_b");
  node(model, 3).set_input(2, "zeros_b");
  add_int(node(model, 3), "axis", 0);
  return model;
}

TEST(Scales, LieAlongTheOutputChannels) {
  EXPECT_EQ(code_of(per_channel(0)), "");
  EXPECT_EQ(code_of(per_channel(-4)), "") << "counted from the end";
  EXPECT_EQ(code_of(per_channel(1)), "ONX0012");
  EXPECT_EQ(code_of(per_channel(-3)), "ONX0012");
}

TEST(Weights, AreLessTheZeroPointOfTheirChannel) {
  ModelProto model = qoperator_model();
  add_tensor(model, "scales_w", TensorProto::FLOAT, {2}, {1, 1});
  add_tensor(model, "zeros_w", TensorProto::INT8, {2}, {0, 5});
  node(model, 1).set_input(4, "scales_w");
  node(model, 1).set_input(5, "zeros_w");
  const Result<Graph> graph = load(model);
  ASSERT_TRUE(graph) << render(graph.error());
  EXPECT_EQ(srdfg::integer_elements(graph->get(graph->nodes.at(1).inputs[1])), (List{1, -128, 122, -1}));
}

/// The last convolution of a model.
srdfg::Node last_conv(const Graph& graph) {
  for (size_t i = graph.nodes.size(); i-- > 0;) {
    if (graph.nodes[i].operation == "conv") return graph.nodes[i];
  }
  throw std::runtime_error("no convolution");
}

/// Elements of the weights of the last convolution.
List weights_of(const ModelProto& model) {
  const Result<Graph> graph = load(model);
  if (!graph) throw std::runtime_error(render(graph.error()));
  return srdfg::integer_elements(graph->get(last_conv(*graph).inputs[1]));
}

TEST(Weights, OfNineBitsMeetTheChannelsThatNeedItAgain) {
  const auto with = [](int32_t weight, int32_t zero) {
    ModelProto model = qoperator_model();
    tensor(model, "w").set_int32_data(1, weight);
    tensor(model, "w").set_int32_data(2, 0);
    tensor(model, "zero_w").set_int32_data(0, zero);
    return model;
  };
  EXPECT_EQ(weights_of(with(-127, 1)), (List{0, -128, -1, 3}));
  EXPECT_EQ(weights_of(with(126, -1)), (List{2, 127, 1, 5}));
  EXPECT_EQ(weights_of(with(-128, 1)), (List{0, -128, -1, -1, 3, 0})) << "-129 is -128 and -1";
  EXPECT_EQ(weights_of(with(127, -1)), (List{2, 127, 1, 1, 5, 0})) << "128 is 127 and 1";
  const Result<Graph> graph = load(with(-128, 1));
  ASSERT_TRUE(graph) << render(graph.error());
  const srdfg::Node& again = graph->nodes.at(1);
  EXPECT_EQ(srdfg::integer_elements(graph->get(again.inputs[1])), (List{1, 0, 0, 1, 0, 1})) << "channels 0, 1 and 1";
  EXPECT_EQ(graph->get(again.outputs[0]).quantization, graph->get(again.inputs[0]).quantization);
}

/// A convolution of two groups, of whose weights one less its zero point is -129; all others are 4.
ModelProto grouped(const List& kernel, const List& dilations) {
  ModelProto model = window(kernel, "NOTSET", dilations);
  std::vector<int32_t> elements(static_cast<size_t>(2 * kernel[0] * kernel[1]), 5);
  elements[0] = -128;
  add_tensor(model, "wg", TensorProto::INT8, {2, 1, kernel[0], kernel[1]}, elements);
  tensor(model, "zero_w").set_int32_data(0, 1);
  node(model, 1).set_input(3, "wg");
  add_int(node(model, 1), "group", 2);
  return model;
}

TEST(Weights, OfNineBitsInGroupsMeetRepeatedColumns) {
  ModelProto model = grouped({3, 2}, {2, 1});
  add_ints(node(model, 1), "strides", {1, 2});
  add_ints(node(model, 1), "pads", {2, 1, 0, 1});
  const Result<Graph> graph = load(model);
  ASSERT_TRUE(graph) << render(graph.error());
  const srdfg::Node& repeat = graph->nodes.at(1);
  EXPECT_EQ(repeat.operation, "repeat");
  EXPECT_EQ(std::get<List>(repeat.attributes.at("factors")), (List{1, 1, 1, 2}));
  const srdfg::Node& conv = graph->nodes.at(2);
  EXPECT_EQ(graph->get(conv.inputs[1]).shape, (std::vector<uint64_t>{2, 1, 3, 4}));
  EXPECT_EQ(std::get<List>(conv.attributes.at("strides")), (List{1, 4}));
  EXPECT_EQ(std::get<List>(conv.attributes.at("pads")), (List{2, 2, 0, 2}));
  EXPECT_EQ(std::get<List>(conv.attributes.at("dilations")), (List{2, 1}));
}

TEST(Weights, WithGapsBetweenTheirColumnsMeetRepeatedRows) {
  const Result<Graph> graph = load(grouped({1, 2}, {1, 3}));
  ASSERT_TRUE(graph) << render(graph.error());
  EXPECT_EQ(std::get<List>(graph->nodes.at(1).attributes.at("factors")), (List{1, 1, 2, 1}));
  EXPECT_EQ(std::get<List>(graph->nodes.at(2).attributes.at("dilations")), (List{1, 3}));
}

TEST(Weights, WithGapsOfBothKindsHaveZerosInThem) {
  const List weights = weights_of(grouped({2, 2}, {2, 3}));
  EXPECT_EQ(List(weights.begin(), weights.begin() + 8), (List{-128, -1, 0, 0, 0, 0, 4, 0}));
}

/// A product by weights [3,32], turned, with a scale for each of its three columns.
TEST(Weights, TurnedOnesHaveTheirScalesAlongTheRows) {
  ModelProto model = empty_model();
  model.add_opset_import()->set_domain("com.microsoft");
  model.mutable_opset_import(1)->set_version(1);
  add_tensor(model, "wt", TensorProto::INT8, {3, 32}, std::vector<int32_t>(96, 1));
  add_tensor(model, "scales_w", TensorProto::FLOAT, {3}, {1, 2, 3});
  add_tensor(model, "zeros_w", TensorProto::INT8, {3}, {0, 0, 0});
  add_tensor(model, "b3", TensorProto::INT32, {3}, {1, 2, 3});
  add_node(model, "QuantizeLinear", {"x", "scale", "zero"}, "q");
  add_node(model, "Flatten", {"q"}, "f");
  onnx::NodeProto& gemm =
      add_node(model, "QGemm", {"f", "scale", "zero", "wt", "scales_w", "zeros_w", "b3", "scale", "zero"}, "g");
  gemm.set_domain("com.microsoft");
  add_int(gemm, "transB", 1);
  add_node(model, "DequantizeLinear", {"g", "scale", "zero"}, "y");
  const Result<Graph> graph = load(model);
  ASSERT_TRUE(graph) << render(graph.error());
  const srdfg::Value& weights = graph->get(graph->nodes.at(2).inputs[1]);
  EXPECT_EQ(weights.shape, (std::vector<uint64_t>{32, 3}));
  EXPECT_EQ(weights.quantization.value().axis, 1);
}

}  // namespace
}  // namespace covenant::compiler::frontend
