/// Compiled random layers on arrays of 3 x 4, both models in lock step: none may be refused but for capabilities that
/// the machine lacks.
#include <gtest/gtest.h>

#include "acg/lang/load.h"
#include "compiler/driver/pipeline.h"
#include "fuzz/random_layer.h"
#include "tests/cosim/rtl/lockstep.h"
#include "tests/support/acg/apart.h"
#include "tests/support/pipeline/noise_image.h"
#include "tests/support/pipeline/pair_machine.h"

namespace covenant::rtl {
namespace {

using namespace covenant::rtl::testing;

enum class Lacks : uint8_t { kNothing, kSinglePrecision };

void expect_agreement(const acg::Machine& machine, uint64_t seed, size_t count, Lacks lacks = Lacks::kNothing) {
  const Model model = model_of(machine);
  size_t agreed = 0;
  for (uint64_t index = 0; index < 2 * count && agreed < count; ++index) {
    SCOPED_TRACE(::testing::Message() << "layer " << index);
    const runtime::RandomLayer layer = runtime::random_layer(seed, index, machine);
    const auto program = compiler::compile_graph(layer.graph, machine, layer.graph.name);
    if (lacks != Lacks::kNothing && !program && program.error().code == "CDL0040") continue;
    ASSERT_TRUE(program) << render(program.error());
    ASSERT_EQ(lockstep(model, *program, test::noise_image(*program, index)), Outcome::kSame) << layer.graph.name;
    ++agreed;
  }
  EXPECT_EQ(agreed, count);
}

TEST(Layers, AgreeOnBothModels) { expect_agreement(*acg::load_machine("genesys", {{"M", "3"}, {"N", "4"}}), 1, 24); }

TEST(Layers, AgreeWhereTwoArraysCrossTheirSums) {
  test::PairSizes sizes{3, 4, 2, 2, 64, 32, 64, 1024};
  sizes.crosses_sums = true;
  expect_agreement(test::pair_machine(sizes), 7, 12, Lacks::kSinglePrecision);
}

TEST(Layers, AgreeWhereMemoriesHoldDifferentThings) {
  const acg::Machine plain = *acg::load_machine("genesys", {{"M", "3"}, {"N", "4"}});
  expect_agreement(test::moved_from_dram(test::moved_from_dram(plain, "FLASH", {"WBUF", "BBUF"}), "ROM", {"IMEM"}), 1,
                   8);
}

}  // namespace
}  // namespace covenant::rtl
