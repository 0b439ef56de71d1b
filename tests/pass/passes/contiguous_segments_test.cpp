#include "compiler/schedule/contiguous_segments.h"

#include <gtest/gtest.h>

namespace covenant::compiler::testing {
namespace {

constexpr uint64_t kRun = 65536;

/// The runs of a tile that is dense on the chip, out of a dense tensor.
std::optional<ContiguousSegments> dense_runs(const std::vector<int64_t>& tensor, const std::vector<int64_t>& tile,
                                       const std::vector<bool>& limited, uint64_t element_bytes, uint64_t max_segment_bytes,
                                       size_t max_loops) {
  TransferShape shape{tile, {}, {}, limited};
  const auto strides = [&](const std::vector<int64_t>& extents) {
    std::vector<int64_t> result(extents.size(), static_cast<int64_t>(element_bytes));
    for (size_t d = extents.size() - 1; d-- > 0;) result[d] = result[d + 1] * extents[d + 1];
    return result;
  };
  shape.offchip = strides(tensor);
  shape.onchip = strides(tile);
  return contiguous_segments(shape, element_bytes, max_segment_bytes, max_loops);
}

TEST(Runs, ACompleteTensorIsOneRun) {
  const auto runs = dense_runs({2, 3, 4}, {2, 3, 4}, {false, false, false}, 4, kRun, 3);
  ASSERT_TRUE(runs);
  EXPECT_EQ(runs->segment_bytes, 96U);
  EXPECT_TRUE(runs->loops.empty());
}

TEST(Runs, AnImageTileIsRowsOfPixels) {
  const auto runs = dense_runs({1, 8, 8, 32}, {1, 4, 5, 16}, {false, false, false, false}, 1, kRun, 3);
  ASSERT_TRUE(runs);
  EXPECT_EQ(runs->segment_bytes, 16U);
  EXPECT_EQ(runs->loops, (std::vector<SegmentLoop>{{1, 4}, {2, 5}}));
}

TEST(Runs, ATileOfAllChannelsHasLongerRuns) {
  const auto runs = dense_runs({1, 8, 8, 32}, {1, 4, 5, 32}, {false, false, false, false}, 1, kRun, 3);
  ASSERT_TRUE(runs);
  EXPECT_EQ(runs->segment_bytes, 160U);
  EXPECT_EQ(runs->loops, (std::vector<SegmentLoop>{{1, 4}}));
}

TEST(Runs, LimitedDimensionsKeepTheirLoops) {
  const auto runs = dense_runs({1, 8, 8, 32}, {1, 10, 10, 32}, {false, true, true, false}, 1, kRun, 3);
  ASSERT_TRUE(runs);
  EXPECT_EQ(runs->segment_bytes, 32U);
  EXPECT_EQ(runs->loops, (std::vector<SegmentLoop>{{1, 10}, {2, 10}}));
}

TEST(Runs, NeighboursJoinWhereTheyMeet) {
  // All of dimension 2 follows dimension 1 without a gap: 12 steps of one stride.
  const auto runs = dense_runs({9, 3, 4, 32}, {2, 3, 4, 16}, {false, false, false, false}, 1, kRun, 3);
  ASSERT_TRUE(runs);
  EXPECT_EQ(runs->loops, (std::vector<SegmentLoop>{{2, 24}}));
}

TEST(Runs, LongRunsAreCut) {
  const auto runs = dense_runs({4, 40000}, {4, 40000}, {false, false}, 1, kRun, 3);
  ASSERT_TRUE(runs);
  EXPECT_EQ(runs->segment_bytes, 40000U);
  EXPECT_EQ(runs->loops, (std::vector<SegmentLoop>{{0, 4}}));
  EXPECT_FALSE(dense_runs({4, 70000}, {4, 70000}, {false, false}, 1, kRun, 3));
}

TEST(Runs, MoreLoopsThanTheHardwareHasAreRefused) {
  EXPECT_TRUE(dense_runs({5, 5, 5, 5}, {2, 2, 2, 2}, {false, false, false, false}, 1, kRun, 3));
  EXPECT_FALSE(dense_runs({5, 5, 5, 5, 5}, {2, 2, 2, 2, 2}, {false, false, false, false, false}, 1, kRun, 3));
  EXPECT_FALSE(dense_runs({5, 5, 5, 5}, {2, 2, 2, 2}, {true, true, true, false}, 1, kRun, 3));
}

TEST(Runs, WindowsThatOverlapAreRunsOfTheirOwn) {
  // Four windows of 27 bytes every 24, each in 64 bytes of its own.
  const TransferShape windows{{3, 4, 27}, {675, 24, 1}, {256, 64, 1}, {true, false, false}};
  const auto runs = contiguous_segments(windows, 1, kRun, 3);
  ASSERT_TRUE(runs);
  EXPECT_EQ(runs->segment_bytes, 27U);
  EXPECT_EQ(runs->loops, (std::vector<SegmentLoop>{{0, 3}, {1, 4}}));
}

TEST(Runs, RowsWithAGapOnTheChipAreNotJoined) {
  const auto runs = contiguous_segments({{5, 3, 10}, {30, 10, 1}, {48, 16, 1}, {false, false, false}}, 1, kRun, 3);
  ASSERT_TRUE(runs);
  EXPECT_EQ(runs->segment_bytes, 10U);
  EXPECT_EQ(runs->loops, (std::vector<SegmentLoop>{{1, 15}}));
}

}  // namespace
}  // namespace covenant::compiler::testing
