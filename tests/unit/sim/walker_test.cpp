#include "sim/units/walker.h"

#include <gtest/gtest.h>

#include "sim/units/sequencer.h"

namespace covenant::sim {
namespace {

using acg::Operation;
using acg::WalkerOperand;

constexpr int32_t kInput = 0, kOffchip = 4;

TEST(Walker, LowHalfClearsHighHalfAndHighHalfKeepsLow) {
  Walker walker(Walker::Unit::kSystolicArray);
  walker.set_base({Operation::kBase, {kInput, 0, 0, 0x1234}});
  walker.set_base({Operation::kBase, {kInput, 1, 2, 0xABCD}});
  EXPECT_EQ(walker.tile_address(WalkerOperand::kInput, {}), 0xABCD1234U);
  EXPECT_EQ(walker.slot(WalkerOperand::kInput), 2U);
  walker.set_base({Operation::kBase, {kInput, 0, 1, 5}});
  EXPECT_EQ(walker.tile_address(WalkerOperand::kInput, {}), 5U);
  EXPECT_EQ(walker.slot(WalkerOperand::kInput), 1U);
}

TEST(Walker, AddressesAddEveryOpenLoopAndWrap) {
  Walker walker(Walker::Unit::kDma);
  walker.set_base({Operation::kBase, {kOffchip, 0, 0, 10}});
  walker.set_stride({Operation::kStride, {kOffchip, 0, 0, 100}});
  walker.set_stride({Operation::kStride, {kOffchip, 6, 0, 0xFFFF}});
  walker.set_stride({Operation::kStride, {kOffchip, 6, 1, 0xFFFF}});  // -1
  EXPECT_EQ(walker.tile_address(WalkerOperand::kOffchip, {3, 0, 0, 0, 0, 0, 4}), 306U);
  EXPECT_EQ(walker.tile_address(WalkerOperand::kOffchip, {0, 0, 0, 0, 0, 0, 11}), 0xFFFFFFFFU);
}

TEST(Walker, InnerLoopsHaveCountsMarksAndStrides) {
  Walker walker(Walker::Unit::kSystolicArray);
  walker.set_trip({Operation::kTrip, {7, 65535, 0}});
  walker.set_trip({Operation::kTrip, {13, 2, 1}});
  walker.set_stride({Operation::kStride, {kInput, 13, 0, 0xFFFE}});
  EXPECT_EQ(walker.inner_count(0), 65536U);
  EXPECT_EQ(walker.inner_count(6), 3U);
  EXPECT_TRUE(walker.inner_reduction(6));
  EXPECT_FALSE(walker.inner_reduction(0));
  EXPECT_EQ(walker.inner_stride(WalkerOperand::kInput, 6), 0xFFFE);
  walker.set_stride({Operation::kStride, {kInput, 13, 1, 0xFFFF}});
  EXPECT_EQ(walker.inner_stride(WalkerOperand::kInput, 6), -2);
  EXPECT_EQ(walker.inner_iterations(), 3U * 65536U);
  walker.clear();
  EXPECT_EQ(walker.inner_iterations(), 1U);
  EXPECT_EQ(walker.inner_stride(WalkerOperand::kInput, 6), 0);
}

TEST(Walker, IterationsSaturate) {
  Walker walker(Walker::Unit::kSystolicArray);
  for (int32_t level = 7; level < 14; ++level) walker.set_trip({Operation::kTrip, {level, 65535, 0}});
  EXPECT_EQ(walker.inner_iterations(), UINT64_MAX);
}

TEST(Sequencer, LoopsRunInOrderAndReductionsKnowTheirFirstIteration) {
  // loop 2 (3 times) { loop 0 (2 times, reduction) { x } }
  Sequencer sequencer;
  sequencer.start(5);
  std::vector<std::array<uint32_t, 3>> seen;
  while (!sequencer.at_end()) {
    switch (sequencer.position()) {
      case 0:
        sequencer.open({Operation::kLoop, {2, 2, 0}});
        break;
      case 1:
        sequencer.open({Operation::kLoop, {0, 1, 1}});
        break;
      case 2:
        seen.push_back({sequencer.indices()[2], sequencer.indices()[0], sequencer.at_first_reduction() ? 1U : 0U});
        sequencer.advance();
        break;
      case 3:
        sequencer.close({Operation::kEnd, {0}});
        break;
      default:
        sequencer.close({Operation::kEnd, {2}});
        break;
    }
  }
  sequencer.check_closed();
  EXPECT_EQ(seen,
            (std::vector<std::array<uint32_t, 3>>{{0, 0, 1}, {0, 1, 0}, {1, 0, 1}, {1, 1, 0}, {2, 0, 1}, {2, 1, 0}}));
}

}  // namespace
}  // namespace covenant::sim
