/// The first scenarios of those that `./dev proofs run platforms` runs.
#include <gtest/gtest.h>

#include "tests/cosim/platforms/check.h"
#include "tests/support/seed.h"

namespace covenant::platforms {
namespace {

constexpr uint64_t kScenarios = 20;

TEST(Platforms, ModelsAndRtlAgreeOnForeignOnes) {
  uint64_t timed = 0;
  for (uint64_t number = 0; number < kScenarios; ++number) {
    const Checked checked = check_scenario(test::seed(), number);
    timed += checked.is_timed ? 1 : 0;
    for (const std::string& wrong : checked.wrong) ADD_FAILURE() << checked.text << wrong;
  }
  EXPECT_GT(timed, 0U);
  EXPECT_LT(timed, kScenarios);
}

}  // namespace
}  // namespace covenant::platforms
