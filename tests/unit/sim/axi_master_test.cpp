/// AXI masters against their formulas, where machines and programs seldom come (docs/reference/off-chip-port.md,
/// "Behind an AXI master").
#include "sim/stream/axi_master.h"

#include <gtest/gtest.h>

namespace covenant::sim {
namespace {

TEST(AxiReadMaster, AnAnswerIsSeenInTheCycleAfterItsBurstIsOnTheBus) {
  AxiReadMaster master(2);
  master.take(10);
  ASSERT_EQ(master.next(), 11);
  master.issued();
  EXPECT_EQ(master.answered(11), 12);
  master.ended(12);
  master.take(20);
  master.issued();
  EXPECT_EQ(master.answered(30), 30);
}

TEST(AxiWriteMaster, StoresAreAnsweredOneACycle) {
  AxiWriteMaster master(8);
  for (uint64_t burst = 0; burst < 3; ++burst) master.move(10 + burst, true, true);
  for (uint64_t burst = 0; burst < 3; ++burst) {
    ASSERT_EQ(master.next(), 14 + burst);
    master.issued();
  }
  EXPECT_EQ(master.answered(5), 15) << "not before its last beat is on the bus";
  EXPECT_EQ(master.answered(30), 30);
  EXPECT_EQ(master.answered(30), 31);
}

/// A beat comes two cycles after it has moved, and the machine is told to wait by what the queue shows a cycle later:
/// of beats that move one a cycle, 31 have moved before 28 show.
TEST(AxiWriteMaster, BeatsWaitForRoom) {
  AxiWriteMaster master(2);
  master.move(0, true, true);
  master.move(1, true, true);  // both on the bus, without an answer
  for (uint64_t beat = 0; beat < 31; ++beat) {
    ASSERT_EQ(master.ready_from(20 + beat), 20 + beat);
    master.move(20 + beat, beat % 16 == 0, beat % 16 == 15);
  }
  EXPECT_EQ(master.ready_from(51), std::nullopt);
  master.issued();
  EXPECT_EQ(master.answered(100), 100);  // the next burst is on the bus in 101, its beats from 102 on
  EXPECT_EQ(master.ready_from(51), 107) << "four of them are gone before 106";
}

}  // namespace
}  // namespace covenant::sim
