#include <gtest/gtest.h>
#include <limits>

#include "compiler/operators/verify.h"
#include "compiler/srdfg/parse.h"
#include "compiler/srdfg/print.h"
#include "compiler/srdfg/queries.h"

namespace covenant::compiler::srdfg {
namespace {

Graph sample() {
  Graph graph{.name = "sample \"quoted\"\n"};
  graph.values = {
      {.name = "x",
       .dtype = DType::kU8,
       .shape = {1, 2},
       .modifier = Modifier::kInput,
       .quantization = Quantization{{0.1F}, {3}}},
      {.name = "w",
       .dtype = DType::kI8,
       .shape = {2, 2},
       .modifier = Modifier::kParam,
       .quantization = Quantization{{0.25F, 1e-30F}, {0, 0}, 1},
       .data = {0, 255, 16, 1}},
      {.name = "y",
       .dtype = DType::kU8,
       .shape = {1, 2},
       .modifier = Modifier::kOutput,
       .quantization = Quantization{{1.0F / 3}, {0}}},
  };
  graph.inputs = {ValueId{0}};
  graph.outputs = {ValueId{2}};
  Node node{.name = "product", .operation = "gemm", .body = {}};
  node.attributes = {{"highest", int64_t{255}}, {"lowest", int64_t{0}}};
  node.inputs = {ValueId{0}, ValueId{1}};
  node.outputs = {ValueId{2}};
  Graph body{.name = "product"};
  body.values = {graph.values[0], graph.values[1], graph.values[2]};
  body.values[1].modifier = Modifier::kInput;
  body.values[1].data.clear();
  body.inputs = {ValueId{0}, ValueId{1}};
  body.outputs = {ValueId{2}};
  Node inner{.name = "inner", .operation = "com.microsoft.QGemm", .body = {}};
  inner.attributes = {{"alpha", 1.0 / 3},
                      {"auto_pad", std::string("SAME")},
                      {"empty", std::vector<int64_t>{}},
                      {"pads", std::vector<int64_t>{0, -1, std::numeric_limits<int64_t>::max()}}};
  inner.inputs = body.inputs;
  inner.outputs = body.outputs;
  inner.body = {body};  // with the node alone, whose operation has a meaning
  inner.body[0].nodes = {node};
  body.nodes = {inner};
  node.body = {body};
  graph.nodes = {node};
  return graph;
}

TEST(SrdfgText, ParsesBackToTheSameGraph) {
  const Graph graph = sample();
  ASSERT_TRUE(operators::verify_normalized(graph)) << render(operators::verify_normalized(graph).error());
  const std::string text = print(graph);
  const Result<Graph> parsed = parse(text);
  ASSERT_TRUE(parsed) << render(parsed.error());
  EXPECT_EQ(*parsed, graph);
  EXPECT_EQ(print(*parsed), text);
}

TEST(SrdfgText, ShowsOneLinePerValueAndNode) {
  const std::string text = print(sample());
  EXPECT_NE(text.find("  value %1 \"w\" i8 [2,2] param scales=[0x1p-2,0x1.4484cp-100] zero_points=[0,0] axis=1 "
                      "data=\"00ff1001\";\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("  node \"product\" gemm(%0, %1) -> (%2) { highest=255; lowest=0; }\n"), std::string::npos);
}

TEST(SrdfgQueries, FindWhoMakesAndReadsAValue) {
  const Graph graph = sample();
  EXPECT_EQ(producers(graph)[2], 0U);
  EXPECT_EQ(producers(graph)[0], std::nullopt);
  EXPECT_EQ(consumers(graph)[1], std::vector<size_t>{0});
  EXPECT_EQ(integer_elements(graph.values[1]), (std::vector<int64_t>{0, -1, 16, 1}));
  EXPECT_THROW((void)float_elements(graph.values[1]), InternalError);
  EXPECT_THROW((void)integer_attribute(graph.nodes[0], "middle"), InternalError);
}

}  // namespace
}  // namespace covenant::compiler::srdfg
