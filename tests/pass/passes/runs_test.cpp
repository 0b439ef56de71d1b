#include "compiler/passes/runs.h"

#include <gtest/gtest.h>

namespace covenant::compiler::testing {
namespace {

constexpr uint64_t kRun = 65536;

TEST(Runs, ACompleteTensorIsOneRun) {
  const auto runs = transfer_runs({2, 3, 4}, {2, 3, 4}, {false, false, false}, 4, kRun, 3);
  ASSERT_TRUE(runs);
  EXPECT_EQ(runs->run_bytes, 96U);
  EXPECT_TRUE(runs->loops.empty());
}

TEST(Runs, AnImageTileIsRowsOfPixels) {
  const auto runs = transfer_runs({1, 8, 8, 32}, {1, 4, 5, 16}, {false, false, false, false}, 1, kRun, 3);
  ASSERT_TRUE(runs);
  EXPECT_EQ(runs->run_bytes, 16U);
  EXPECT_EQ(runs->loops, (std::vector<RunLoop>{{1, 4}, {2, 5}}));
}

TEST(Runs, ATileOfAllChannelsHasLongerRuns) {
  const auto runs = transfer_runs({1, 8, 8, 32}, {1, 4, 5, 32}, {false, false, false, false}, 1, kRun, 3);
  ASSERT_TRUE(runs);
  EXPECT_EQ(runs->run_bytes, 160U);
  EXPECT_EQ(runs->loops, (std::vector<RunLoop>{{1, 4}}));
}

TEST(Runs, LimitedDimensionsKeepTheirLoops) {
  const auto runs = transfer_runs({1, 8, 8, 32}, {1, 10, 10, 32}, {false, true, true, false}, 1, kRun, 3);
  ASSERT_TRUE(runs);
  EXPECT_EQ(runs->run_bytes, 32U);
  EXPECT_EQ(runs->loops, (std::vector<RunLoop>{{1, 10}, {2, 10}}));
}

TEST(Runs, NeighboursJoinWhereTheyMeet) {
  // All of dimension 2 follows dimension 1 without a gap: 12 steps of one stride.
  const auto runs = transfer_runs({9, 3, 4, 32}, {2, 3, 4, 16}, {false, false, false, false}, 1, kRun, 3);
  ASSERT_TRUE(runs);
  EXPECT_EQ(runs->loops, (std::vector<RunLoop>{{2, 24}}));
}

TEST(Runs, LongRunsAreCut) {
  const auto runs = transfer_runs({4, 40000}, {4, 40000}, {false, false}, 1, kRun, 3);
  ASSERT_TRUE(runs);
  EXPECT_EQ(runs->run_bytes, 40000U);
  EXPECT_EQ(runs->loops, (std::vector<RunLoop>{{0, 4}}));
  EXPECT_FALSE(transfer_runs({4, 70000}, {4, 70000}, {false, false}, 1, kRun, 3));
}

TEST(Runs, MoreLoopsThanTheHardwareHasAreRefused) {
  EXPECT_TRUE(transfer_runs({5, 5, 5, 5}, {2, 2, 2, 2}, {false, false, false, false}, 1, kRun, 3));
  EXPECT_FALSE(transfer_runs({5, 5, 5, 5, 5}, {2, 2, 2, 2, 2}, {false, false, false, false, false}, 1, kRun, 3));
  EXPECT_FALSE(transfer_runs({5, 5, 5, 5}, {2, 2, 2, 2}, {true, false, false, false}, 1, kRun, 3));
}

}  // namespace
}  // namespace covenant::compiler::testing
