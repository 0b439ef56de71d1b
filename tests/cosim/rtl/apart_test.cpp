/// Machines with several off-chip memories: random layers in lock step, each memory with an image of its own.
#include "tests/support/acg/apart.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "acg/lang/load.h"
#include "compiler/driver/pipeline.h"
#include "fuzz/random_layer.h"
#include "runtime/session/image.h"
#include "tests/cosim/rtl/lockstep.h"

namespace covenant::rtl {
namespace {

using namespace covenant::rtl::testing;

TEST(MemoriesApart, RunLayersInLockStep) {
  const acg::Machine plain = *acg::load_machine("genesys", {{"M", "3"}, {"N", "4"}});
  const acg::Machine machine =
      test::moved_from_dram(test::moved_from_dram(plain, "FLASH", {"WBUF", "BBUF"}, 7), "ROM", {"IMEM"}, 61);
  const Model model = model_of(machine);
  uint64_t apart = 0;
  for (uint64_t l = 0; l < 24; ++l) {
    SCOPED_TRACE(fmt::format("layer {}", l));
    const runtime::RandomLayer layer = runtime::random_layer(1, l, machine);
    const Result<acg::Program> program = compiler::compile_graph(layer.graph, machine, layer.graph.name);
    if (!program) {  // activations have no way to the array's weights
      EXPECT_EQ(program.error().code, "CDL0054") << render(program.error());
      EXPECT_NE(layer.graph.name.find("matmul"), std::string::npos) << layer.graph.name;
      continue;
    }
    EXPECT_EQ(program->ranges.size(), 3U);
    for (const acg::MemoryRange& range : program->ranges) {
      if (acg::get(machine, range.memory).name == "FLASH" && range.bytes > 0) ++apart;
    }
    const std::vector<uint8_t> image = *runtime::image_of(*program, layer.inputs);
    EXPECT_EQ(lockstep(model, *program, image), Outcome::kSame) << layer.graph.name;
  }
  EXPECT_GE(apart, 8U) << "layers with weights";
}

}  // namespace
}  // namespace covenant::rtl
