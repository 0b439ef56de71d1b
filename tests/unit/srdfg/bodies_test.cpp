/// Bodies stand in the place of their nodes: values and names.
#include "compiler/srdfg/bodies.h"

#include <gtest/gtest.h>

#include "compiler/srdfg/print.h"
#include "compiler/srdfg/verify.h"

namespace covenant::compiler::srdfg {
namespace {

/// y = outer(x, w): inner(x, w) -> middle, which is made of two nodes, and last(middle) -> y.
Graph sample() {
  const auto value = [](const char* name, Modifier modifier) {
    return Value{.name = name, .dtype = DType::kU8, .shape = {1}, .modifier = modifier};
  };
  const auto node = [](const char* name, const char* operation, std::vector<ValueId> in, std::vector<ValueId> out) {
    return Node{.name = name, .operation = operation, .inputs = std::move(in), .outputs = std::move(out), .body = {}};
  };
  Graph inner{.name = "inner"};
  inner.values = {value("x", Modifier::kInput), value("w", Modifier::kInput), value("middle", Modifier::kState),
                  value("made", Modifier::kOutput)};
  inner.inputs = {{0}, {1}};
  inner.outputs = {{3}};
  inner.nodes = {node("first", "first", {{0}, {1}}, {{2}}), node("second", "second", {{2}}, {{3}})};
  Graph outer{.name = "outer"};
  outer.values = {value("x", Modifier::kInput), value("w", Modifier::kInput), value("middle", Modifier::kState),
                  value("y", Modifier::kOutput)};
  outer.inputs = {{0}, {1}};
  outer.outputs = {{3}};
  outer.nodes = {node("inner", "inner", {{0}, {1}}, {{2}}), node("last", "last", {{2}}, {{3}})};
  outer.nodes[0].body = {inner};
  Graph graph{.name = "g"};
  graph.values = {value("x", Modifier::kInput), value("w", Modifier::kParam), value("y", Modifier::kOutput)};
  graph.values[1].data = {7};
  graph.inputs = {{0}};
  graph.outputs = {{2}};
  graph.nodes = {node("outer", "outer", {{0}, {1}}, {{2}})};
  graph.nodes[0].body = {outer};
  return graph;
}

TEST(Bodies, StandInThePlaceOfTheirNodes) {
  const Graph graph = sample();
  ASSERT_TRUE(verify(graph)) << render(verify(graph).error());
  const Graph fine = inline_bodies(graph, [](const Node&) { return false; });
  ASSERT_TRUE(verify(fine)) << render(verify(fine).error()) << print(fine);
  std::vector<std::string> nodes, values;
  for (const Node& node : fine.nodes) nodes.push_back(node.name);
  for (const Value& value : fine.values) values.push_back(value.name);
  // The node that makes the result of another one has its name; a name that is taken gets a number.
  EXPECT_EQ(nodes, (std::vector<std::string>{"first", "inner", "outer"}));
  EXPECT_EQ(values, (std::vector<std::string>{"x", "w", "y", "middle", "middle_2"}));
  EXPECT_EQ(fine.nodes[0].inputs, (std::vector<ValueId>{{0}, {1}}));
  EXPECT_EQ(fine.nodes[2].outputs, (std::vector<ValueId>{{2}}));
}

TEST(Bodies, StayWhereANodeIsWhole) {
  const Graph graph = sample();
  EXPECT_EQ(inline_bodies(graph, [](const Node&) { return true; }), graph);
  const Graph coarse = inline_bodies(graph, [](const Node& node) { return node.operation == "inner"; });
  ASSERT_TRUE(verify(coarse)) << render(verify(coarse).error());
  ASSERT_EQ(coarse.nodes.size(), 2U);
  EXPECT_EQ(coarse.nodes[0].body.size(), 1U);
}

TEST(Bodies, HaveTheParamsOfTheirNodes) {
  const Graph graph = sample();
  const Graph body = bound_body(graph, graph.nodes[0]);
  ASSERT_TRUE(verify(body)) << render(verify(body).error());
  EXPECT_EQ(body.inputs, (std::vector<ValueId>{{0}}));
  EXPECT_EQ(body.values[1].data, (std::vector<uint8_t>{7}));
  const Graph inner = bound_body(body, body.nodes[0]);
  EXPECT_EQ(inner.values[1].modifier, Modifier::kParam);
}

}  // namespace
}  // namespace covenant::compiler::srdfg
