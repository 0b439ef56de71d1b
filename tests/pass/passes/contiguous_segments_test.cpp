#include "compiler/families/stream/contiguous_segments.h"

#include <gtest/gtest.h>

namespace covenant::compiler::stream {
namespace {

constexpr uint64_t kMost = 65536;

/// The segments of a tile that is dense on the chip, out of a dense tensor.
std::optional<ContiguousSegments> dense_segments(const std::vector<int64_t>& tensor, const std::vector<int64_t>& tile,
                                                 const std::vector<bool>& limited, uint64_t element_bytes,
                                                 uint64_t max_segment_bytes, size_t max_loops) {
  TransferShape shape{tile, {}, {}, limited};
  const auto strides = [&](const std::vector<int64_t>& extents) {
    std::vector<int64_t> result(extents.size(), static_cast<int64_t>(element_bytes));
    for (size_t d = extents.size() - 1; d-- > 0;) result[d] = result[d + 1] * extents[d + 1];
    return result;
  };
  shape.far = strides(tensor);
  shape.near = strides(tile);
  return contiguous_segments(shape, element_bytes, {.segment_bytes = max_segment_bytes, .loops = max_loops});
}

TEST(ContiguousSegments, ACompleteTensorIsOne) {
  const auto segments = dense_segments({2, 3, 4}, {2, 3, 4}, {false, false, false}, 4, kMost, 3);
  ASSERT_TRUE(segments);
  EXPECT_EQ(segments->segment_bytes, 96U);
  EXPECT_TRUE(segments->loops.empty());
}

TEST(ContiguousSegments, AnImageTileIsRowsOfPixels) {
  const auto segments = dense_segments({1, 8, 8, 32}, {1, 4, 5, 16}, {false, false, false, false}, 1, kMost, 3);
  ASSERT_TRUE(segments);
  EXPECT_EQ(segments->segment_bytes, 16U);
  EXPECT_EQ(segments->loops, (std::vector<SegmentLoop>{{1, 4}, {2, 5}}));
}

TEST(ContiguousSegments, ATileOfAllChannelsHasLongerOnes) {
  const auto segments = dense_segments({1, 8, 8, 32}, {1, 4, 5, 32}, {false, false, false, false}, 1, kMost, 3);
  ASSERT_TRUE(segments);
  EXPECT_EQ(segments->segment_bytes, 160U);
  EXPECT_EQ(segments->loops, (std::vector<SegmentLoop>{{1, 4}}));
}

TEST(ContiguousSegments, LimitedDimensionsKeepTheirLoops) {
  const auto segments = dense_segments({1, 8, 8, 32}, {1, 10, 10, 32}, {false, true, true, false}, 1, kMost, 3);
  ASSERT_TRUE(segments);
  EXPECT_EQ(segments->segment_bytes, 32U);
  EXPECT_EQ(segments->loops, (std::vector<SegmentLoop>{{1, 10}, {2, 10}}));
}

TEST(ContiguousSegments, NeighboursJoinWhereTheyMeet) {
  // All of dimension 2 follows dimension 1 without a gap: 12 steps of one stride.
  const auto segments = dense_segments({9, 3, 4, 32}, {2, 3, 4, 16}, {false, false, false, false}, 1, kMost, 3);
  ASSERT_TRUE(segments);
  EXPECT_EQ(segments->loops, (std::vector<SegmentLoop>{{2, 24}}));
}

TEST(ContiguousSegments, LongOnesAreDivided) {
  const auto segments = dense_segments({4, 40000}, {4, 40000}, {false, false}, 1, kMost, 3);
  ASSERT_TRUE(segments);
  EXPECT_EQ(segments->segment_bytes, 40000U);
  EXPECT_EQ(segments->loops, (std::vector<SegmentLoop>{{0, 4}}));
  const auto divided = dense_segments({4, 70000}, {4, 70000}, {false, false}, 1, kMost, 3);
  ASSERT_TRUE(divided);
  EXPECT_EQ(divided->segment_bytes, 35000U) << "the largest part that divides the last dimension";
  EXPECT_EQ(divided->loops, (std::vector<SegmentLoop>{{1, 8}}));
  EXPECT_FALSE(dense_segments({65537}, {65537}, {false}, 1, kMost, 3)) << "a prime has no part but 1";
  const TransferShape row{{48}, {1}, {1}, {false}};
  const auto by_units = contiguous_segments(row, 1, {.segment_bytes = 30, .loops = 3, .unit_bytes = 16});
  ASSERT_TRUE(by_units);
  EXPECT_EQ(by_units->segment_bytes, 16U) << "24 bytes would end within an address";
  EXPECT_FALSE(contiguous_segments(row, 1, {.segment_bytes = 15, .loops = 3, .unit_bytes = 16}));
}

TEST(ContiguousSegments, MoreLoopsThanTheHardwareHasAreRefused) {
  EXPECT_TRUE(dense_segments({5, 5, 5, 5}, {2, 2, 2, 2}, {false, false, false, false}, 1, kMost, 3));
  EXPECT_FALSE(dense_segments({5, 5, 5, 5, 5}, {2, 2, 2, 2, 2}, {false, false, false, false, false}, 1, kMost, 3));
  EXPECT_FALSE(dense_segments({5, 5, 5, 5}, {2, 2, 2, 2}, {true, true, true, false}, 1, kMost, 3));
}

TEST(ContiguousSegments, WindowsThatOverlapHaveTheirOwn) {
  // Four windows of 27 bytes every 24, each in 64 bytes of its own.
  const TransferShape windows{{3, 4, 27}, {675, 24, 1}, {256, 64, 1}, {true, false, false}};
  const auto segments = contiguous_segments(windows, 1, {.segment_bytes = kMost, .loops = 3});
  ASSERT_TRUE(segments);
  EXPECT_EQ(segments->segment_bytes, 27U);
  EXPECT_EQ(segments->loops, (std::vector<SegmentLoop>{{0, 3}, {1, 4}}));
}

TEST(ContiguousSegments, RowsWithAGapOnTheChipAreNotJoined) {
  const auto segments = contiguous_segments({{5, 3, 10}, {30, 10, 1}, {48, 16, 1}, {false, false, false}}, 1,
                                            {.segment_bytes = kMost, .loops = 3});
  ASSERT_TRUE(segments);
  EXPECT_EQ(segments->segment_bytes, 10U);
  EXPECT_EQ(segments->loops, (std::vector<SegmentLoop>{{1, 15}}));
}

}  // namespace
}  // namespace covenant::compiler::stream
