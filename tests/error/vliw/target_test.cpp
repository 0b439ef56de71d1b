/// A model for a machine that issues packets is refused before anything else is asked of the machine.
#include <gtest/gtest.h>

#include "acg/lang/load.h"
#include "compiler/explain.h"
#include "compiler/pipeline.h"
#include "tests/support/pipeline/random_graph.h"

namespace covenant::compiler {
namespace {

TEST(VliwTarget, NoModelBecomesPacketsYet) {
  const acg::Machine machine = *acg::load_machine("hvx");
  test::GraphMaker maker(1, DType::kU8);
  const srdfg::Graph graph = maker.finish(maker.clip(maker.input({1, 4, 2, 2})));
  const Result<acg::Program> program = compile_graph(graph, machine, "model");
  ASSERT_FALSE(program);
  EXPECT_EQ(program.error().code, "GEN0016");
  EXPECT_EQ(program.error().subject, "machine hvx");
  const Result<LayerExplanation> explanation = explain_layer(graph, machine, "clip_0", {});
  ASSERT_FALSE(explanation);
  EXPECT_EQ(explanation.error().code, "GEN0016");
}

}  // namespace
}  // namespace covenant::compiler
