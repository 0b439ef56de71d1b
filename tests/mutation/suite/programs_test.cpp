/// Random programs on an array of 3 x 4, both models in lock step.
#include <gtest/gtest.h>

#include "acg/lang/load.h"
#include "tests/cosim/rtl/lockstep.h"
#include "tests/cosim/rtl/random_program.h"

namespace covenant::rtl {
namespace {

using namespace covenant::rtl::testing;

TEST(Programs, AgreeOnBothModels) {
  constexpr uint64_t kPrograms = 150;
  const acg::Machine machine = *acg::load_machine("genesys", {{"M", "3"}, {"N", "4"}});
  const Model model = model_of(machine);
  uint64_t compared = 0;
  for (uint64_t seed = 1; seed <= kPrograms; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    RandomProgram random(machine, seed);
    const acg::Program program = random.program();
    const Outcome outcome = lockstep(model, program, random.image());
    ASSERT_NE(outcome, Outcome::kDifferent);
    compared += outcome == Outcome::kSame ? 1 : 0;
  }
  EXPECT_GE(compared, kPrograms / 5);
}

}  // namespace
}  // namespace covenant::rtl
