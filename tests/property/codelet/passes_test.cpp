// Random layers on random machines: every pass keeps the meaning, and the schedule is as promised.
#include <gtest/gtest.h>

#include "compiler/codelet/parse.h"
#include "compiler/codelet/print.h"
#include "tests/pass/passes/layers.h"

namespace covenant::compiler::testing {
namespace {

int64_t between(Random& random, int64_t low, int64_t high) {
  return std::uniform_int_distribution<int64_t>(low, high)(random);
}

acg::Machine random_machine(Random& random, int64_t scale) {
  return genesys({{"M", between(random, 1, 24)},
                  {"N", between(random, 1, 24)},
                  {"axi", 64 << between(random, 0, 3)},
                  {"input_depth", between(random, 1, 20) * scale},
                  {"weight_depth", between(random, 1, 10) * scale},
                  {"bias_depth", between(random, 1, 2) * scale},
                  {"output_depth", between(random, 1, 8) * scale},
                  {"vector_depth", between(random, 1, 8) * scale}});
}

TEST(RandomLayers, EveryPassKeepsTheMeaning) {
  int scheduled = 0;
  int refused = 0;
  for (uint64_t seed = 1; seed <= 400; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const TestLayer layer = random_layer(random);
    // Small memories split every loop; the ones that are too small are refused and grow.
    for (int64_t scale = 1;; scale *= 2) {
      ASSERT_LE(scale, 1024);
      const acg::Machine machine = random_machine(random, scale);
      const Result<std::vector<Stage>> stages = all_stages(layer, machine);
      if (!stages) {
        ASSERT_TRUE(stages.error().code == "CDL0051" || stages.error().code == "CDL0053") << render(stages.error());
        ++refused;
        continue;
      }
      ++scheduled;
      expect_same_meaning(*stages, machine, random);
      expect_scheduled_form(stages->back().second, machine);
      for (const auto& [pass, made] : *stages) {
        const Result<codelet::Codelet> again = codelet::parse(print(made), "again.cdlt");
        ASSERT_TRUE(again) << render(again.error());
        ASSERT_EQ(*again, made) << print(made);
      }
      break;
    }
    if (HasFailure()) break;
  }
  std::printf("seeds 1..400: %d scheduled, %d times a machine was too small\n", scheduled, refused);
}

}  // namespace
}  // namespace covenant::compiler::testing
