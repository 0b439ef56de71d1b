#include "sim/stream/common/address_generator.h"

#include <gtest/gtest.h>

#include "sim/stream/common/sequencer.h"
#include "sim/stream/dma/dma.h"
#include "sim/stream/systolic_array/systolic_array.h"

namespace covenant::sim {
namespace {

using acg::AddressOperand;
using acg::Operation;

constexpr int32_t kInput = 0, kOffchip = 4;

TEST(AddressGenerator, LowHalfClearsHighHalfAndHighHalfKeepsLow) {
  AddressGenerator generator(kSystolicAddresses);
  generator.set_base({Operation::kBase, {kInput, 0, 0, 0x1234}});
  generator.set_base({Operation::kBase, {kInput, 1, 2, 0xABCD}});
  EXPECT_EQ(generator.tile_address(AddressOperand::kInput, {}), 0xABCD1234U);
  EXPECT_EQ(generator.slot(AddressOperand::kInput), 2U);
  generator.set_base({Operation::kBase, {kInput, 0, 1, 5}});
  EXPECT_EQ(generator.tile_address(AddressOperand::kInput, {}), 5U);
  EXPECT_EQ(generator.slot(AddressOperand::kInput), 1U);
}

TEST(AddressGenerator, AddressesAddEveryOpenLoopAndWrap) {
  AddressGenerator generator(kDmaAddresses);
  generator.set_base({Operation::kBase, {kOffchip, 0, 0, 10}});
  generator.set_stride({Operation::kStride, {kOffchip, 0, 0, 100}});
  generator.set_stride({Operation::kStride, {kOffchip, 6, 0, 0xFFFF}});
  generator.set_stride({Operation::kStride, {kOffchip, 6, 1, 0xFFFF}});  // -1
  EXPECT_EQ(generator.tile_address(AddressOperand::kOffchip, {3, 0, 0, 0, 0, 0, 4}), 306U);
  EXPECT_EQ(generator.tile_address(AddressOperand::kOffchip, {0, 0, 0, 0, 0, 0, 11}), 0xFFFFFFFFU);
}

TEST(AddressGenerator, InnerLoopsHaveCountsMarksAndStrides) {
  AddressGenerator generator(kSystolicAddresses);
  generator.set_trip({Operation::kTrip, {7, 65535, 0}});
  generator.set_trip({Operation::kTrip, {13, 2, 1}});
  generator.set_stride({Operation::kStride, {kInput, 13, 0, 0xFFFE}});
  EXPECT_EQ(generator.inner_count(0), 65536U);
  EXPECT_EQ(generator.inner_count(6), 3U);
  EXPECT_TRUE(generator.inner_reduction(6));
  EXPECT_FALSE(generator.inner_reduction(0));
  EXPECT_EQ(generator.inner_stride(AddressOperand::kInput, 6), 0xFFFE);
  generator.set_stride({Operation::kStride, {kInput, 13, 1, 0xFFFF}});
  EXPECT_EQ(generator.inner_stride(AddressOperand::kInput, 6), -2);
  EXPECT_EQ(generator.inner_iterations(), 3U * 65536U);
  generator.clear();
  EXPECT_EQ(generator.inner_iterations(), 1U);
  EXPECT_EQ(generator.inner_stride(AddressOperand::kInput, 6), 0);
}

TEST(AddressGenerator, IterationsSaturate) {
  AddressGenerator generator(kSystolicAddresses);
  for (int32_t level = 7; level < 14; ++level) generator.set_trip({Operation::kTrip, {level, 65535, 0}});
  EXPECT_EQ(generator.inner_iterations(), UINT64_MAX);
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
