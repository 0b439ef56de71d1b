/// Programs that go with a folder of RTL.
#include "fuzz/self_test.h"

#include <gtest/gtest.h>

#include "acg/lang/load.h"
#include "fuzz/random_machine.h"

namespace covenant::runtime {
namespace {

TEST(SelfTest, EveryMachineOfTheFamilyHasOne) {
  for (const char* preset : {"", "8x8", "16x16", "07"}) {
    const std::string spec = preset[0] == '\0' ? "genesys" : std::string("genesys:") + preset;
    const auto machine = acg::load_machine(spec, {});
    ASSERT_TRUE(machine) << render(machine.error());
    const auto test = default_self_test(*machine);
    ASSERT_TRUE(test) << render(test.error());
    EXPECT_EQ(test->before.size(), test->after.size());
    EXPECT_NE(test->before, test->after);
    EXPECT_GT(test->cycles, 50U);
    EXPECT_LT(test->cycles, 2'000'000U);
    EXPECT_EQ(default_self_test(*machine)->after, test->after) << "equal machines, equal tests";
  }
  EXPECT_TRUE(default_self_test(random_machine(5, 2).machine));
}

}  // namespace
}  // namespace covenant::runtime
