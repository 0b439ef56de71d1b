// Random layers on random machines: every pass keeps the meaning, and the schedule is as promised.
#include <gtest/gtest.h>

#include "compiler/codelet/parse.h"
#include "compiler/codelet/print.h"
#include "tests/pass/passes/layers.h"

namespace covenant::compiler::testing {
namespace {

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
