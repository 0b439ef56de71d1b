/// The slices that commands become in a picture.
#include "offchip/slices.h"

#include "tests/unit/offchip/bench.h"

namespace covenant::offchip {
namespace {

using namespace covenant::offchip::test;

TEST(Slices, ARefreshIsInAllBanksOfItsChannel) {
  Parameters set = small();
  set.organization.channels = 2;
  const std::vector<Slice> slices = slices_of({CommandKind::kRefresh, 1, 0, 0, 0, 0, 0, 50}, set);
  ASSERT_EQ(slices.size(), 8U);
  EXPECT_EQ(slices.front().track, 8U);
  EXPECT_EQ(slices.back().track, 15U);
  EXPECT_EQ(slices.back().start, 50'000U);
  EXPECT_EQ(slices.back().duration, 100'000U);
}

TEST(Slices, AWriteIsInItsBankAndOnTheBus) {
  Parameters set = small();
  set.organization.channels = 2;
  const std::vector<Slice> slices = slices_of({CommandKind::kWrite, 1, 3, 0, 0, 0, 0, 50}, set);
  ASSERT_EQ(slices.size(), 2U);
  EXPECT_EQ(slices[0].track, 11U);
  EXPECT_EQ(slices[0].start, 50'000U);
  EXPECT_EQ(slices[0].duration, 4'000U);
  EXPECT_EQ(slices[1].track, 17U);
  EXPECT_EQ(slices[1].start, 58'000U);
  EXPECT_EQ(slices[1].duration, 4'000U);
}

TEST(Slices, TracksHaveNames) {
  const std::vector<std::string> names = track_names(small().organization);
  ASSERT_EQ(names.size(), 9U);
  EXPECT_EQ(names[7], "channel 0 bank 7");
  EXPECT_EQ(names[8], "channel 0 bus");
}

}  // namespace
}  // namespace covenant::offchip
