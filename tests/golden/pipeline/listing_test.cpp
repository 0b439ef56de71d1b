/// The whole program of a small network as people read it. COVENANT_REWRITE_GOLDEN=1 writes it anew.
#include "acg/isa/listing.h"

#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

#include "acg/lang/load.h"
#include "compiler/pipeline.h"
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

  const std::string path = COVENANT_SOURCE_DIR "/tests/golden/pipeline/assembly.txt";
  if (std::getenv("COVENANT_REWRITE_GOLDEN") != nullptr) std::ofstream(path) << text;
  std::ifstream file(path);
  ASSERT_TRUE(file) << "no " << path << ": run COVENANT_REWRITE_GOLDEN=1 ctest -R golden_pipeline";
  std::ostringstream wanted;
  wanted << file.rdbuf();
  EXPECT_EQ(text, wanted.str()) << "if the change is meant: COVENANT_REWRITE_GOLDEN=1 ctest -R golden_pipeline";
}

}  // namespace
}  // namespace covenant
