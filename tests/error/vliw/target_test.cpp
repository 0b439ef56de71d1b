/// Models that a machine with packets cannot run are refused, with the missing capability.
#include <gtest/gtest.h>

#include "acg/lang/load.h"
#include "compiler/driver/pipeline.h"
#include "tests/support/pipeline/random_graph.h"

namespace covenant::compiler {
namespace {

TEST(VliwTarget, AModelThatItCanDoBecomesPackets) {
  test::GraphMaker maker(1, DType::kU8);
  const srdfg::Graph graph = maker.finish(maker.clip(maker.input({1, 4, 2, 2})));
  const Result<acg::Program> program = compile_graph(graph, *acg::load_machine("hvx"), "model");
  ASSERT_TRUE(program) << render(program.error());
  EXPECT_EQ(program->blocks.size(), 1U);
}

TEST(VliwTarget, WithoutTheCapabilityItDoesNot) {
  acg::Machine machine = *acg::load_machine("hvx");
  for (acg::Compute& compute : machine.computes) {
    std::erase_if(compute.capabilities, [](const acg::Capability& one) { return one.name == "MIN"; });
  }
  test::GraphMaker maker(1, DType::kU8);
  const srdfg::Graph graph = maker.finish(maker.clip(maker.input({1, 4, 2, 2})));
  const Result<acg::Program> program = compile_graph(graph, machine, "model");
  ASSERT_FALSE(program);
  EXPECT_EQ(program.error().code, "CDL0040");
  EXPECT_EQ(program.error().offending, "u8=MIN(u8,i32)");
}

}  // namespace
}  // namespace covenant::compiler
