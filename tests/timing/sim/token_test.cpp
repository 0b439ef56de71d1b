/// Tokens: when a wait issues, and the exact cycle in which one token is one too many.
#include <gtest/gtest.h>

#include "tests/support/sim/run.h"

namespace covenant::sim {
namespace {

using namespace covenant::sim::testing;

TEST(TokenTiming, AWaitIssuesInTheCycleTheTokenIsVisibleAndNotBefore) {
  for (int32_t delay : {1, 40, 41, 42, 43, 60}) {
    Assembly a(small_machine(3, 5));
    a.group("DRAM->IBUF").wait("IBUF", kFree).post("IBUF", kFull);
    a.group("SA");
    for (int32_t k = 0; k < delay; ++k) a.op(Operation::kTrip, {7, 0, 0});
    a.wait("IBUF", kFull).post("IBUF", kFree).end_block(true);
    const Ran ran = run(a);
    const uint64_t start = ran.result.statistics.blocks[0].start;
    const auto post = ran.of(a.engine("DRAM->IBUF"))[1];
    EXPECT_EQ(post.issue, start + 1);
    EXPECT_EQ(post.retire, start + 1 + 42);
    const auto wait = ran.of(a.engine("SA"))[static_cast<size_t>(delay)];
    const uint64_t arrival = start + static_cast<uint64_t>(delay);
    EXPECT_EQ(wait.issue, std::max(arrival, post.retire)) << delay;
    EXPECT_EQ(wait.stall, wait.issue - arrival);
    EXPECT_EQ(wait.retire, wait.issue + 1);
  }
}

TEST(TokenTiming, TokensAreTakenInTheOrderInWhichTheyWereGiven) {
  Assembly a(small_machine(3, 5));
  a.group("DRAM->IBUF").wait("IBUF", kFree).wait("IBUF", kFree).post("IBUF", kFull);
  for (int k = 0; k < 9; ++k) a.op(Operation::kFill, {0});
  a.post("IBUF", kFull);
  a.group("SA").wait("IBUF", kFull).wait("IBUF", kFull).post("IBUF", kFree).post("IBUF", kFree).end_block(true);
  const Ran ran = run(a);
  const auto waits = ran.of(a.engine("SA"));
  EXPECT_EQ(waits[1].issue, waits[0].issue + 10);
  EXPECT_EQ(waits[1].stall, 9U);
}

/// The producer does not wait for free buffers: its third token needs one of the first two to be gone before the cycle
/// in which it becomes visible. `slack` trips delay the consumer.
std::string third_token(int32_t slack) {
  Assembly a(small_machine(3, 5));
  a.group("DRAM->IBUF").post("IBUF", kFull).post("IBUF", kFull);
  for (int k = 0; k < 9; ++k) a.op(Operation::kFill, {0});
  a.post("IBUF", kFull);
  // Frees go to the producer, which takes them at its end: the counts of the block balance.
  for (int k = 0; k < 3; ++k) a.wait("IBUF", kFree);
  a.group("SA");
  for (int32_t k = 0; k < slack; ++k) a.op(Operation::kTrip, {7, 0, 0});
  for (int k = 0; k < 3; ++k) a.wait("IBUF", kFull);
  for (int k = 0; k < 3; ++k) a.post("IBUF", kFree);
  a.end_block(true);
  return failure(a).code;
}

TEST(TokenTiming, ATokenMayArriveOneCycleAfterAnotherWasTakenAndNotInTheSame) {
  // Tokens become visible in cycles 42, 43 and 53 after the start; the first is taken in cycle max(42, slack).
  EXPECT_EQ(third_token(52), "");
  EXPECT_EQ(third_token(53), "SIM0015");
  EXPECT_EQ(third_token(0), "");
  EXPECT_EQ(third_token(200), "SIM0015");
}

TEST(TokenTiming, BuffersTurnWithEveryPost) {
  // Two tiles into the two buffers of VMEM1; the consumer stores them from the same on-chip address.
  Assembly a(small_machine(4, 4));
  a.group("DRAM->VMEM1").wait("VMEM1", kFree).load(0, 0, 16).post("VMEM1", kFull);
  a.wait("VMEM1", kFree).load(16, 0, 16).post("VMEM1", kFull);
  a.group("VMEM1->DRAM").wait("VMEM1", kFull).wait("VMEM1", kFull).store(1024, 0, 16).post("VMEM1", kFree);
  a.store(1040, 0, 16).post("VMEM1", kFree).end_block(true);
  std::vector<uint8_t> data(32);
  for (size_t k = 0; k < data.size(); ++k) data[k] = static_cast<uint8_t>(k + 1);
  const Ran ran = run(a, data);
  EXPECT_TRUE(std::equal(data.begin(), data.end(), ran.memory.begin() + 1024));
}

TEST(TokenTiming, DoubleBufferingOverlapsLoadsWithStores) {
  // 8 tiles of 64 beats, one buffer each: the loader runs ahead by two tiles, then at the pace of the storer.
  Assembly a(machine_with({{"M", "4"}, {"N", "4"}, {"axi", "64"}}));
  a.group("DRAM->VMEM1").stride(kOffchip, 0, 512).op(Operation::kLoop, {0, 7, 0}).wait("VMEM1", kFree);
  a.op(Operation::kLoad, {511}).post("VMEM1", kFull).op(Operation::kEnd, {0});
  a.group("VMEM1->DRAM").base(kOffchip, 16384).stride(kOffchip, 0, 512).op(Operation::kLoop, {0, 7, 0});
  a.wait("VMEM1", kFull).op(Operation::kStore, {511}).post("VMEM1", kFree).op(Operation::kEnd, {0}).end_block(true);
  const Ran ran = run(a);
  std::vector<acg::RetireRecord> stores;
  for (const auto& record : ran.of(a.engine("VMEM1->DRAM"))) {
    if (record.last_port > record.issue) stores.push_back(record);
  }
  ASSERT_EQ(stores.size(), 8U);
  // The third tile goes where the first was: 64 beats, the free token's way, wait and 64 beats, the full token's way,
  // wait.
  EXPECT_EQ(stores[1].issue - stores[0].issue, 64U + 3);  // post, end, wait
  EXPECT_EQ(stores[2].issue - stores[0].issue, 64U + 42 + (1 + 64U) + 42 + 1);
}

}  // namespace
}  // namespace covenant::sim
