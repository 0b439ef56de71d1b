/// Random programs on an array of 3 x 4, both models in lock step.
#include <gtest/gtest.h>

#include "acg/lang/load.h"
#include "tests/cosim/rtl/lockstep.h"
#include "tests/cosim/rtl/random_program.h"
#include "tests/support/refusals.h"
#include "tests/support/sim/other_words.h"

namespace covenant::rtl {
namespace {

using namespace covenant::rtl::testing;

void expect_agreement(const acg::Machine& machine, uint64_t programs) {
  const Model model = model_of(machine);
  test::Refusals drawn;
  for (uint64_t seed = 1; seed <= programs; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    RandomProgram random(machine, seed);
    const acg::Program program = random.program();
    Diagnostic reason;
    const Outcome outcome = lockstep(model, program, random.image(), &reason);
    ASSERT_NE(outcome, Outcome::kDifferent);
    if (outcome == Outcome::kRefused) {
      drawn.refused(reason);
    } else {
      drawn.compared();
    }
  }
  drawn.expect_within({});  // none
}

acg::Machine small_machine() { return *acg::load_machine("genesys", {{"M", "3"}, {"N", "4"}}); }

TEST(Programs, AgreeOnBothModels) { expect_agreement(small_machine(), 150); }

TEST(Programs, AgreeOnBothModelsInFixedPoint) {
  expect_agreement(*acg::load_machine("genesys", {{"M", "3"}, {"N", "4"}, {"requant", "fixed_tflite"}}), 60);
}

TEST(Programs, AgreeOnBothModelsWhereSumsSaturate) {
  expect_agreement(
      *acg::load_machine("genesys", {{"M", "3"}, {"N", "4"}, {"accumulator", "16"}, {"overflow", "saturate"}}), 60);
}

/// Words of 9 bytes in beats of 5: each takes two beats or three, and one of five ends with its beat.
TEST(Programs, AgreeOnBothModelsOnWordsLongerThanABeat) { expect_agreement(with_words(small_machine(), 72, 40), 20); }

/// All off-chip edges but that of the instructions share one bus.
TEST(Programs, AgreeOnBothModelsWithASharedBus) {
  acg::Machine machine = small_machine();
  for (acg::Edge& edge : machine.edges) {
    const auto* to = std::get_if<acg::MemoryId>(&edge.to);
    const bool is_fetch = to != nullptr && get(machine, *to).kind == acg::MemoryKind::kInstruction;
    if (edge.bandwidth > 0 && !is_fetch) edge.bus = "PORT";
  }
  expect_agreement(machine, 100);
}

}  // namespace
}  // namespace covenant::rtl
