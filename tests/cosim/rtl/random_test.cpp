/// Random programs on a fixed handful of machines: every retire record and every byte as the SystemC model has them.
#include <gtest/gtest.h>

#include "acg/lang/load.h"
#include "tests/cosim/rtl/lockstep.h"
#include "tests/cosim/rtl/random_program.h"

namespace covenant::rtl {
namespace {

using namespace covenant::rtl::testing;

struct Case {
  const char* name;
  std::vector<std::pair<std::string, std::string>> set;
};

class RandomPrograms : public ::testing::TestWithParam<Case> {};

TEST_P(RandomPrograms, AgreeWithTheSystemCModel) {
  constexpr uint64_t kPrograms = 200;
  const uint64_t first_seed =
      std::getenv("COVENANT_SEED") != nullptr ? std::strtoull(std::getenv("COVENANT_SEED"), nullptr, 10) : 1;
  fmt::print("seed {}\n", first_seed);
  const auto machine = acg::load_machine("genesys", GetParam().set);
  ASSERT_TRUE(machine) << render(machine.error());
  const Model model = model_of(*machine);
  uint64_t compared = 0;
  for (uint64_t seed = first_seed; seed < first_seed + kPrograms; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    RandomProgram random(*machine, seed);
    const acg::Program program = random.program();
    const Outcome outcome = lockstep(model, program, random.image());
    if (outcome == Outcome::kDifferent) return;
    compared += outcome == Outcome::kSame ? 1 : 0;
  }
  fmt::print("{} programs compared\n", compared);
  EXPECT_GE(compared, kPrograms / 5) << "too many random programs are refused";
}

INSTANTIATE_TEST_SUITE_P(
    Machines, RandomPrograms,
    ::testing::Values(Case{"Array3x4Bus128", {{"M", "3"}, {"N", "4"}}},
                      Case{"Array5x2Bus32",
                           {{"M", "5"}, {"N", "2"}, {"axi", "32"}, {"dram_latency", "1"}, {"axi_instruction", "32"}}},
                      Case{"Array4x6Bus256",
                           {{"M", "4"},
                            {"N", "6"},
                            {"axi", "256"},
                            {"dram_latency", "13"},
                            {"axi_instruction", "128"},
                            {"vector_depth", "301"},
                            {"weight_depth", "77"}}}),
    [](const auto& machine) { return std::string(machine.param.name); });

}  // namespace
}  // namespace covenant::rtl
