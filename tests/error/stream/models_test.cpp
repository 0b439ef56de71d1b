/// Normalised models that the machine cannot run: refused with a code that names the layer.
#include <gtest/gtest.h>

#include "acg/lang/load.h"
#include "compiler/driver/pipeline.h"
#include "compiler/driver/stages.h"
#include "tests/support/pipeline/random_graph.h"

namespace covenant {
namespace {

using test::Graph;
using test::GraphMaker;
using test::ValueId;

Diagnostic refused(const Graph& graph) {
  const Result<acg::Machine> machine = acg::load_machine("genesys");
  const Result<acg::Program> program = compiler::compile_graph(graph, *machine, "model");
  if (program) {
    ADD_FAILURE() << "was accepted";
    return {};
  }
  EXPECT_FALSE(program.error().fix.empty());
  return program.error();
}

TEST(ModelErrors, OperationWithoutCodelet) {
  GraphMaker maker(1, DType::kU8);
  Graph graph = maker.finish(maker.clip(maker.input({1, 4, 2, 2})));
  graph.nodes[0].operation = "gelu";
  const Diagnostic diagnostic = refused(graph);
  EXPECT_EQ(diagnostic.code, "GEN0020");
  EXPECT_EQ(diagnostic.subject, "clip0");
  EXPECT_EQ(diagnostic.offending, "gelu");
}

TEST(ModelErrors, MovementOfTooManyDimensions) {
  GraphMaker maker(1, DType::kU8);
  const ValueId x = maker.reshape(maker.input({1, 512}), {2, 2, 2, 2, 2, 2, 2, 2, 2});
  const ValueId turned = maker.transpose(x, {8, 7, 6, 5, 4, 3, 2, 1, 0});
  EXPECT_EQ(refused(maker.finish(maker.gemm(maker.reshape(turned, {1, 512}), 3))).code, "GEN0021");
}

TEST(ModelErrors, RankWithoutLayout) {
  GraphMaker maker(1, DType::kU8);
  EXPECT_EQ(refused(maker.finish(maker.clip(maker.input({})))).code, "GEN0022");
}

TEST(ModelErrors, NothingToDo) {
  GraphMaker maker(1, DType::kU8);
  const ValueId x = maker.input({1, 4});
  EXPECT_EQ(refused(maker.finish(maker.reshape(x, {1, 4}))).code, "GEN0014");
}

TEST(ModelErrors, InputThatNoLayerUses) {
  GraphMaker maker(1, DType::kU8);
  const ValueId x = maker.input({1, 4});
  maker.input({1, 3});
  maker.graph().values.back().name = "unused";
  EXPECT_EQ(refused(maker.finish(maker.clip(x))).code, "GEN0015");
}

TEST(ModelErrors, UnknownPass) {
  const Result<acg::Machine> machine = acg::load_machine("genesys");
  const Result<std::string> text = compiler::emit("model.onnx", *machine, "tilted");
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().code, "GEN0030");
  EXPECT_EQ(text.error().allowed, compiler::stage_names());
}

}  // namespace
}  // namespace covenant
