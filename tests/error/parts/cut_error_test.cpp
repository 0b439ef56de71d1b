/// Cuts that a graph does not have: GEN0080 to GEN0082.
#include <gtest/gtest.h>

#include "acg/lang/load.h"
#include "compiler/driver/compile_parts.h"
#include "compiler/driver/cut.h"
#include "tests/support/pipeline/residual_graph.h"

namespace covenant::compiler {
namespace {

using test::Graph;

Diagnostic refused(const Graph& graph, const std::vector<std::string>& cuts) {
  const Result<std::vector<Graph>> parts = cut(graph, cuts);
  if (parts) {
    ADD_FAILURE() << "was accepted";
    return {};
  }
  EXPECT_FALSE(parts.error().fix.empty());
  return parts.error();
}

TEST(CutErrors, NoSuchLayer) {
  const Diagnostic said = refused(test::residual_graph(1), {"conv9"});
  EXPECT_EQ(said.code, "GEN0080");
  EXPECT_EQ(said.offending, "conv9");
  EXPECT_EQ(said.allowed, (std::vector<std::string>{"conv0", "conv1", "add2", "max_pool3"}));
  EXPECT_EQ(said.fix, "did you mean \"conv0\"?");
  EXPECT_EQ(refused(test::residual_graph(1), {"input"}).fix, "cut after one of these layers");
}

TEST(CutErrors, TensorsAreQuantized) {
  Graph graph = test::residual_graph(1);
  test::Value& sums = graph.values[graph.nodes[0].outputs[0].value];
  sums.dtype = DType::kI32;
  sums.quantization.reset();
  const Diagnostic said = refused(graph, {"conv1"});
  EXPECT_EQ(said.code, "GEN0081");
  EXPECT_EQ(said.message, "the cut after conv1 goes through a tensor that is not quantised");
  EXPECT_EQ(said.offending, "conv0.y i32 [1,8,6,6]");
}

TEST(CutErrors, EachPartHasLayers) {
  const Diagnostic last = refused(test::residual_graph(1), {"max_pool3"});
  EXPECT_EQ(last.code, "GEN0082");
  EXPECT_EQ(last.message, "no layer is left after this cut");
  const Diagnostic twice = refused(test::residual_graph(1), {"conv1", "conv0"});
  EXPECT_EQ(twice.code, "GEN0082");
  EXPECT_EQ(twice.message, "no layer is left before this cut");
  EXPECT_EQ(twice.offending, "conv0");
}

TEST(CutErrors, NameTheModel) {
  const std::string path = "no/such/model.onnx";
  const auto parts = compile_parts(path, *acg::load_machine("genesys"), {{"conv", *acg::load_machine("genesys")}});
  ASSERT_FALSE(parts);
  EXPECT_EQ(parts.error().code, "ONX0001");
  EXPECT_EQ(parts.error().where.file, path);
}

}  // namespace
}  // namespace covenant::compiler
