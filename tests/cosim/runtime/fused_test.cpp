/// Fused layers in lock step: what joins two layers stays in scratchpads, the same in both models.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "runtime/lockstep/lockstep.h"
#include "tests/cosim/runtime/digits.h"
#include "tests/support/pipeline/random_graph.h"

namespace covenant::runtime {
namespace {

using namespace covenant::runtime::testing;
using test::GraphMaker;
using test::ValueId;

/// A product, the sum with its input, and limits: four temporaries and the sums on the lanes, one command each.
test::Graph chain(GraphMaker& maker, bool is_image, uint64_t channels) {
  const auto size = [&] { return static_cast<uint64_t>(maker.draw(2, 5)); };
  const ValueId x = maker.input(is_image ? std::vector<uint64_t>{1, channels, size(), size()}
                                         : std::vector<uint64_t>{size(), channels});
  const ValueId made = is_image ? maker.conv(x, channels, 3, 1, 1) : maker.gemm(x, channels);
  return maker.finish(maker.clip(maker.add(made, x)));
}

TEST(Fused, ChainsAgreeInLockStep) {
  const acg::Machine machine = value_of(acg::load_machine("genesys", kSmall));
  const rtl::Model model = value_of(build_rtl(machine, rtl_options()));
  for (uint32_t seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    GraphMaker maker(seed, seed % 2 == 0 ? DType::kU8 : DType::kI8);
    compiler::CompileOptions options;
    options.lowering = "plain";  // others may do better apart
    const acg::Program program = value_of<acg::Program>(
        compiler::compile_graph(chain(maker, seed % 3 > 0, 1 + seed % 11), machine, "chain", options));
    ASSERT_EQ(program.blocks.size(), 1U);
    EXPECT_EQ(program.blocks[0].fused.size(), 3U);
    const std::vector<uint8_t> image = value_of(image_of(program, noise(program, seed)));
    const LockstepResult result = value_of(lockstep(model, program, image, {}));
    EXPECT_EQ(result.differences, 0U) << (result.first ? render(*result.first) : "");
    EXPECT_EQ(result.rtl_memory, result.systemc_memory);
    EXPECT_GT(result.instructions, 0U);
  }
}

}  // namespace
}  // namespace covenant::runtime
