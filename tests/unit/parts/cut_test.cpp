/// Parts of graphs: their nodes, what they hand on, and that together they compute what the whole does.
#include "compiler/driver/cut.h"

#include <gtest/gtest.h>

#include "compiler/operators/verify.h"
#include "compiler/reference/evaluate.h"
#include "tests/support/pipeline/residual_graph.h"

namespace covenant::compiler {
namespace {

using test::Graph;
using test::GraphMaker;
using test::ValueId;

Result<std::vector<Graph>> verified(const Graph& graph, const std::vector<std::string>& cuts) {
  Result<std::vector<Graph>> parts = cut(graph, cuts);
  if (!parts) return parts;
  for (const Graph& part : *parts) {
    const Status status = operators::verify_normalized(part);
    EXPECT_TRUE(status) << (status ? "" : render(status.error()));
  }
  return parts;
}

/// "input -> conv0 conv1 -> conv0.y conv1.y"
std::string text_of(const Graph& graph) {
  std::string text;
  for (const ValueId id : graph.inputs) text += graph.get(id).name + " ";
  text += "->";
  for (const auto& node : graph.nodes) text += " " + node.name;
  text += " ->";
  for (const ValueId id : graph.outputs) text += " " + graph.get(id).name;
  return text;
}

std::vector<std::string> texts_of(const Graph& graph, const std::vector<std::string>& cuts) {
  const Result<std::vector<Graph>> parts = verified(graph, cuts);
  EXPECT_TRUE(parts) << render(parts.error());
  std::vector<std::string> texts;
  for (const Graph& part : *parts) texts.push_back(text_of(part));
  return texts;
}

using Texts = std::vector<std::string>;

TEST(Cut, HandsOnAllThatLaterPartsRead) {
  EXPECT_EQ(texts_of(test::residual_graph(1), {"conv1"}),
            (Texts{"input -> conv0 conv1 -> conv0.y conv1.y", "conv0.y conv1.y -> add2 max_pool3 -> max_pool3.y"}));
}

TEST(Cut, TakesLayersAndTensors) {
  const Graph graph = test::residual_graph(1);
  EXPECT_EQ(*cut(graph, {"conv0.y"}), *cut(graph, {"conv0"}));
}

TEST(Cut, MakesOnePartMoreThanCuts) {
  EXPECT_EQ(texts_of(test::residual_graph(1), {"conv0", "conv1", "add2"}),
            (Texts{"input -> conv0 -> conv0.y", "conv0.y -> conv1 -> conv1.y", "conv0.y conv1.y -> add2 -> add2.y",
                   "add2.y -> max_pool3 -> max_pool3.y"}));
  EXPECT_EQ(texts_of(test::residual_graph(1), {}).size(), 1U);
}

TEST(Cut, LeavesWhatNoCutNeedsToTheLastPart) {
  GraphMaker maker(2, DType::kU8);
  const ValueId x = maker.input({1, 4, 4, 4});
  const ValueId left = maker.conv(x, 4, 1, 1, 0);
  const ValueId right = maker.conv(x, 4, 3, 1, 1);
  const Graph graph = maker.finish(maker.add(left, right));
  EXPECT_EQ(texts_of(graph, {"conv0"}), (Texts{"input -> conv0 -> conv0.y", "input conv0.y -> conv1 add2 -> add2.y"}));
}

TEST(Cut, KeepsAnOutputThatIsHandedOn) {
  Graph graph = test::residual_graph(3);
  const ValueId first = graph.nodes[0].outputs[0];
  graph.values[first.value].modifier = test::Modifier::kOutput;
  graph.outputs.push_back(first);
  EXPECT_EQ(texts_of(graph, {"conv0"}),
            (Texts{"input -> conv0 -> conv0.y", "conv0.y -> conv1 add2 max_pool3 -> max_pool3.y"}));
}

/// Two layers that read a real input, quantised once.
Graph opened_and_closed() {
  GraphMaker maker(4, DType::kI8);
  const ValueId x = maker.input({1, 4, 4, 4});
  const ValueId first = maker.conv(x, 4, 1, 1, 0);
  const ValueId last = maker.add(x, first);
  Graph graph = maker.graph();
  test::Value real = graph.values[x.value];
  real.name = "real";
  real.dtype = DType::kF32;
  real.quantization.reset();
  const auto add = [&](const std::string& name, test::Modifier modifier) {
    test::Value& value = graph.values.emplace_back(real);
    value.name = name;
    value.shape = graph.get(last).shape;
    value.modifier = modifier;
    return ValueId{static_cast<uint32_t>(graph.values.size() - 1)};
  };
  const ValueId opened = add("real", test::Modifier::kInput);
  const ValueId closed = add("closed", test::Modifier::kOutput);
  const ValueId early = add("early", test::Modifier::kOutput);
  graph.values[x.value].modifier = test::Modifier::kState;
  const auto boundary = [](const char* operation, ValueId from, ValueId to) {
    test::Node node;
    node.name = operation + std::to_string(to.value);
    node.operation = operation;
    node.inputs = {from};
    node.outputs = {to};
    return node;
  };
  graph.nodes.insert(graph.nodes.begin(), boundary("quantize", opened, x));
  graph.nodes.push_back(boundary("dequantize", last, closed));
  graph.nodes.push_back(boundary("dequantize", first, early));
  graph.inputs = {opened};
  graph.outputs = {closed, early};
  return graph;
}

TEST(Cut, LetsTheHostQuantizeForEachPartAndDequantizeWhereItIsMade) {
  const Texts parts = texts_of(opened_and_closed(), {"conv0"});
  EXPECT_EQ(parts[0].substr(0, 17), "real -> quantize0");
  EXPECT_NE(parts[0].find("-> early conv0.y"), std::string::npos) << parts[0];
  EXPECT_EQ(parts[1].substr(0, 25), "real conv0.y -> quantize0");
  EXPECT_NE(parts[1].find("-> closed"), std::string::npos) << parts[1];
}

TEST(Cut, NamesNoTwoEndsAlike) {
  Graph graph = test::residual_graph(5);
  for (auto& value : graph.values) {
    if (value.name == "conv0.y" || value.name == "conv1.y") value.name = "y";
  }
  EXPECT_EQ(texts_of(graph, {"conv1"})[1], "y y_2 -> add2 max_pool3 -> max_pool3.y");
}

TEST(Cut, KeepsValues) {
  for (uint32_t seed = 0; seed < 20; ++seed) {
    const Graph graph = test::residual_graph(seed, seed % 2 == 0 ? DType::kI8 : DType::kU8);
    const runtime::Tensor input = test::random_input(graph.get(graph.inputs[0]), seed);
    reference::Tensors known{{input.name, {input.dtype, input.shape, input.bytes}}};
    const reference::Tensors expected = *reference::evaluate(graph, known);
    const Result<std::vector<Graph>> parts = verified(graph, {"conv0", "add2"});
    ASSERT_TRUE(parts);
    for (const Graph& part : *parts) {
      reference::Tensors given;
      for (const ValueId id : part.inputs) given[part.get(id).name] = known.at(part.get(id).name);
      const reference::Tensors made = *reference::evaluate(part, given);
      known.insert(made.begin(), made.end());
    }
    EXPECT_EQ(known.at("max_pool3.y").bytes, expected.at("max_pool3.y").bytes) << "seed " << seed;
  }
}

}  // namespace
}  // namespace covenant::compiler
