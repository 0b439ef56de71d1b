/// Compiled random layers on arrays of 3 x 4, both models in lock step: none may be refused.
#include <gtest/gtest.h>
#include <numeric>

#include "acg/lang/load.h"
#include "compiler/pipeline.h"
#include "runtime/lockstep/random_layer.h"
#include "tests/cosim/rtl/lockstep.h"
#include "tests/support/acg/apart.h"
#include "tests/support/pipeline/noise_image.h"
#include "tests/support/pipeline/pair_machine.h"

namespace covenant::rtl {
namespace {

using namespace covenant::rtl::testing;

void expect_agreement(const acg::Machine& machine, uint64_t seed, const std::vector<uint64_t>& layers) {
  const Model model = model_of(machine);
  for (const uint64_t index : layers) {
    SCOPED_TRACE(::testing::Message() << "layer " << index);
    const runtime::RandomLayer layer = runtime::random_layer(seed, index, machine);
    const auto program = compiler::compile_graph(layer.graph, machine, layer.graph.name);
    ASSERT_TRUE(program) << render(program.error());
    ASSERT_EQ(lockstep(model, *program, test::noise_image(*program, index)), Outcome::kSame) << layer.graph.name;
  }
}

TEST(Layers, AgreeOnBothModels) {
  std::vector<uint64_t> layers(24);
  std::iota(layers.begin(), layers.end(), 0);
  expect_agreement(*acg::load_machine("genesys", {{"M", "3"}, {"N", "4"}}), 1, layers);
}

TEST(Layers, AgreeWhereTwoArraysCrossTheirSums) {
  test::PairSizes sizes{3, 4, 2, 2, 64, 32, 64, 1024};
  sizes.crosses_sums = true;
  std::vector<uint64_t> layers(12);
  std::iota(layers.begin(), layers.end(), 0);
  expect_agreement(test::pair_machine(sizes), 7, layers);
}

TEST(Layers, AgreeWhereMemoriesHoldDifferentThings) {
  const acg::Machine plain = *acg::load_machine("genesys", {{"M", "3"}, {"N", "4"}});
  std::vector<uint64_t> layers(8);
  std::iota(layers.begin(), layers.end(), 0);
  expect_agreement(test::moved_from_dram(test::moved_from_dram(plain, "FLASH", {"WBUF", "BBUF"}), "ROM", {"IMEM"}), 1,
                   layers);
}

}  // namespace
}  // namespace covenant::rtl
