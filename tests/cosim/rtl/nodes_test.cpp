/// A machine with two SIMD arrays: layers that both share, in lock step.
#include <algorithm>
#include <gtest/gtest.h>

#include "compiler/pipeline.h"
#include "runtime/image.h"
#include "runtime/lockstep/random_layer.h"
#include "tests/cosim/rtl/lockstep.h"
#include "tests/support/pipeline/pair_machine.h"

namespace covenant::rtl {
namespace {

using namespace covenant::rtl::testing;

TEST(TwoSimdArrays, RunLayersInLockStep) {
  const acg::Machine machine = test::pair_machine({3, 4, 1, 2, 64, 32, 64, 1024});
  const Model model = model_of(machine);
  int layers = 0;
  int shared = 0;
  for (uint64_t l = 0; l < 40; ++l) {
    SCOPED_TRACE(fmt::format("seed 7 layer {}", l));
    const runtime::RandomLayer layer = runtime::random_layer(7, l, machine);
    const Result<acg::Program> program = compiler::compile_graph(layer.graph, machine, layer.graph.name);
    if (!program) continue;
    ASSERT_EQ(lockstep(model, *program, *runtime::image_of(*program, layer.inputs)), Outcome::kSame)
        << layer.graph.name;
    ++layers;
    const bool is_shared = std::any_of(program->blocks.begin(), program->blocks.end(), [](const acg::Block& block) {
      return block.codelet.find("\"SIMD1\"") != std::string::npos &&
             block.codelet.find("\"SIMD2\"") != std::string::npos;
    });
    shared += is_shared ? 1 : 0;
  }
  fmt::print("{} layers, {} of them on both arrays\n", layers, shared);
  EXPECT_GE(layers, 20);
  EXPECT_GE(shared, 5);
}

}  // namespace
}  // namespace covenant::rtl
