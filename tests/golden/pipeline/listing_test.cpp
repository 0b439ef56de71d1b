/// The listing of the whole program of a small network. COVENANT_REWRITE_GOLDEN=1 rewrites it.
#include "acg/program/listing.h"

#include <gtest/gtest.h>

#include "acg/lang/load.h"
#include "compiler/driver/pipeline.h"
#include "tests/support/golden.h"
#include "tests/support/pipeline/random_graph.h"

namespace covenant {
namespace {

TEST(Golden, Assembly) {
  test::GraphMaker maker(7, DType::kU8);
  const test::ValueId x = maker.conv(maker.input({1, 3, 6, 6}), 10, 3, 1, 1);
  const test::Graph graph = maker.finish(maker.gemm(maker.flatten(maker.max_pool(x, 2, 2, 0)), 5));
  const Result<acg::Machine> machine = acg::load_machine(
      "genesys:8x8", {{"input_depth", "40"}, {"output_depth", "32"}, {"vector_depth", "64"}, {"weight_depth", "20"}});
  ASSERT_TRUE(machine) << render(machine.error());
  const Result<acg::Program> program = compiler::compile_graph(graph, *machine, "small");
  ASSERT_TRUE(program) << render(program.error());
  const std::string text = acg::disassemble(*program);

  test::expect_golden("tests/golden/pipeline/assembly.txt", text, "golden_pipeline");
}

}  // namespace
}  // namespace covenant
