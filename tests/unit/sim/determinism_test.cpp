#include <gtest/gtest.h>

#include "sim/stats/statistics.h"
#include "tests/support/sim/run.h"

namespace covenant::sim {
namespace {

using namespace covenant::sim::testing;

Assembly double_buffered_copy(int32_t tiles) {
  Assembly a(small_machine(4, 4));
  a.group("DRAM->VMEM1").stride(kOffchip, 0, 64).op(Operation::kLoop, {0, tiles - 1, 0}).wait("VMEM1", kFree);
  a.op(Operation::kLoad, {63}).post("VMEM1", kFull).op(Operation::kEnd, {0});
  a.group("VMEM1->DRAM").base(kOffchip, 16384).stride(kOffchip, 0, 64).op(Operation::kLoop, {0, tiles - 1, 0});
  a.wait("VMEM1", kFull).op(Operation::kStore, {63}).post("VMEM1", kFree).op(Operation::kEnd, {0}).end_block(true);
  return a;
}

TEST(Determinism, TwoRunsGiveTheSameBytes) {
  std::vector<uint8_t> data(4096);
  for (size_t k = 0; k < data.size(); ++k) data[k] = static_cast<uint8_t>(k * 7);
  SimulateOptions options;
  options.trace = true;
  Assembly a = double_buffered_copy(20);
  const Ran first = run(a, data, options);
  Assembly b = double_buffered_copy(20);
  const Ran second = run(b, data, options);
  EXPECT_EQ(first.memory, second.memory);
  EXPECT_EQ(first.result.records, second.result.records);
  EXPECT_EQ(to_json(first.result.statistics), to_json(second.result.statistics));
  EXPECT_EQ(first.result.trace, second.result.trace);
  EXPECT_TRUE(std::equal(data.begin(), data.begin() + 20 * 64, first.memory.begin() + 16384));
  EXPECT_NE(first.result.trace.find("wait VMEM1.free"), std::string::npos);
}

TEST(Determinism, ThousandsOfRunsInOneProcess) {
  Assembly a = double_buffered_copy(3);
  const uint64_t cycles = run(a).result.cycles;
  const acg::Program program = a.program();
  for (int k = 0; k < 2000; ++k) {
    std::vector<uint8_t> memory = a.image();
    const auto result = simulate(program, memory);
    ASSERT_TRUE(result);
    ASSERT_EQ(result->cycles, cycles);
  }
}

TEST(Determinism, ARunAfterAFaultIsUntouchedByIt) {
  Assembly bad(small_machine(4, 4));
  bad.group("SA").wait("IBUF", kFull).end_block(true);
  Assembly good = double_buffered_copy(3);
  const Ran before = run(good);
  EXPECT_EQ(failure(bad).code, "SIM0017");
  Assembly again = double_buffered_copy(3);
  EXPECT_EQ(run(again).result.records, before.result.records);
}

}  // namespace
}  // namespace covenant::sim
