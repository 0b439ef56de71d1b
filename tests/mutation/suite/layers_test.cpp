/// Compiled random layers on an array of 3 x 4, both models in lock step: none may be refused.
#include <gtest/gtest.h>

#include "acg/lang/load.h"
#include "compiler/pipeline.h"
#include "runtime/lockstep/random_layer.h"
#include "tests/cosim/rtl/lockstep.h"
#include "tests/support/pipeline/noise_image.h"

namespace covenant::rtl {
namespace {

using namespace covenant::rtl::testing;

TEST(Layers, AgreeOnBothModels) {
  const acg::Machine machine = *acg::load_machine("genesys", {{"M", "3"}, {"N", "4"}});
  const Model model = model_of(machine);
  for (uint64_t index = 0; index < 24; ++index) {
    SCOPED_TRACE(::testing::Message() << "layer " << index);
    const runtime::RandomLayer layer = runtime::random_layer(1, index, machine);
    const auto program = compiler::compile_graph(layer.graph, machine, layer.graph.name);
    ASSERT_TRUE(program) << render(program.error());
    ASSERT_EQ(lockstep(model, *program, test::noise_image(*program, index)), Outcome::kSame) << layer.graph.name;
  }
}

}  // namespace
}  // namespace covenant::rtl
