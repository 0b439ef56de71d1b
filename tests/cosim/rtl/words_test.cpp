/// Instruction words of other widths than 32 bits, in beats that hold several of them, one, or a part of one: random
/// programs with the records and bytes of the SystemC model.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "acg/lang/load.h"
#include "tests/cosim/rtl/lockstep.h"
#include "tests/cosim/rtl/random_program.h"
#include "tests/support/sim/other_words.h"

namespace covenant::rtl {
namespace {

using namespace covenant::rtl::testing;

class Words : public ::testing::TestWithParam<std::pair<uint32_t, uint32_t>> {};

TEST_P(Words, AgreeWithTheSystemCModel) {
  constexpr uint64_t kPrograms = 60;
  const auto& [word_bits, beat_bits] = GetParam();
  const auto machine = acg::load_machine("genesys", {{"M", "3"}, {"N", "4"}});
  ASSERT_TRUE(machine) << render(machine.error());
  const acg::Machine other = with_words(*machine, word_bits, beat_bits);
  const Model model = model_of(other);
  for (uint64_t seed = 1; seed <= kPrograms; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    RandomProgram random(other, seed);
    ASSERT_EQ(lockstep(model, random.program(), random.image()), Outcome::kSame);
  }
}

INSTANTIATE_TEST_SUITE_P(Machines, Words,
                         ::testing::Values(std::pair{72U, 40U}, std::pair{40U, 264U}, std::pair{256U, 64U}),
                         [](const auto& parameter) {
                           return fmt::format("{}In{}", parameter.param.first, parameter.param.second);
                         });

}  // namespace
}  // namespace covenant::rtl
