/// Programs that would run for very long are stopped soon, whatever they do.
#include <chrono>
#include <gtest/gtest.h>

#include "sim/common/fault.h"
#include "sim/stream/race.h"
#include "tests/support/sim/run.h"

namespace covenant::sim {
namespace {

using namespace covenant::sim::testing;

TEST(Limit, CommandsAreRefusedBeforeTheWork) {
  Assembly pass(small_machine(4, 4));
  pass.group("SA");
  for (int32_t level = 7; level < 14; ++level) pass.op(Operation::kTrip, {level, 65535, 0});
  pass.op(Operation::kGemm, {0}).end_block(true);
  EXPECT_EQ(failure(pass).code, "SIM0060");
  EXPECT_NE(failure(pass).subject.find("word 7 (GEMM"), std::string::npos);

  Assembly nest(small_machine(4, 4));
  nest.group("SIMD").op(Operation::kTypes, {kI32, kI32, kI32});
  for (int32_t level = 0; level < 8; ++level) nest.op(Operation::kSimdTrip, {level, 65535});
  const int32_t v1 = nest.memory("VMEM1");
  nest.op(Operation::kMove, {v1, 0, v1, 0, v1, 0}).end_block(true);
  EXPECT_EQ(failure(nest).code, "SIM0060");

  Assembly load(small_machine(4, 4));
  load.group("DRAM->IBUF");
  for (int32_t level = 14; level < 17; ++level) load.op(Operation::kTrip, {level, 65535, 0});
  load.load(0, 0, 1).end_block(true);
  EXPECT_EQ(failure(load).code, "SIM0060");
}

TEST(Limit, IsExact) {
  // One block: 41 + 2 cycles of fetch, then one word a cycle.
  Assembly a(small_machine(4, 4));
  a.group("SA").op(Operation::kTrip, {13, 99, 0}).op(Operation::kGemm, {0}).op(Operation::kTrip, {13, 0, 0});
  a.end_block(true);
  const uint64_t start = run(a).result.statistics.blocks[0].start;
  SimulateOptions options;
  options.max_cycles = start + 1 + 100;  // the last word issues in this cycle
  EXPECT_EQ(failure(a, options).code, "");
  options.max_cycles -= 1;
  EXPECT_EQ(failure(a, options).code, "SIM0060");
  EXPECT_NE(failure(a, options).subject.find("word 1 (GEMM"), std::string::npos);
  options.max_cycles = start;
  EXPECT_NE(failure(a, options).subject.find("word 1 (GEMM"), std::string::npos);
  options.max_cycles = start - 1;
  EXPECT_NE(failure(a, options).subject.find("word 0 (TRIP"), std::string::npos);
}

TEST(Limit, LoopsOfControlWordsStop) {
  Assembly a(small_machine(4, 4));
  a.group("SA");
  for (int32_t level = 0; level < 7; ++level) a.op(Operation::kLoop, {level, 65535, 0});
  for (int32_t level = 6; level >= 0; --level) a.op(Operation::kEnd, {level});
  a.end_block(true);
  SimulateOptions options;
  options.max_cycles = 1'000'000;
  EXPECT_EQ(failure(a, options).code, "SIM0060");
}

TEST(Limit, UnsynchronisedPostsStopAtOnce) {
  Assembly a(small_machine(4, 4));
  a.group("SA");
  for (int32_t level = 0; level < 7; ++level) a.op(Operation::kLoop, {level, 65535, 0});
  a.post("OBUF", kFull);
  for (int32_t level = 6; level >= 0; --level) a.op(Operation::kEnd, {level});
  a.end_block(true);
  EXPECT_EQ(failure(a).code, "SIM0015");
}

TEST(Limit, TheHistoryOfUnorderedAccessesIsBounded) {
  RaceDetector races(1, {{0}, {0}});
  races.start_block(std::vector<uint32_t>{0, 1});
  std::string code;
  for (uint64_t k = 0; k < (1U << 22U) && code.empty(); ++k) {
    try {
      (void)races.access(0, {Region(0, k % 4096 * 8, 8), true}, {});
    } catch (const Failure& failure) {
      code = failure.diagnostic.code;
    }
  }
  EXPECT_EQ(code, "SIM0052");
}

TEST(Limit, MachinesAndMemoriesThatCannotBeSimulated) {
  Assembly a(small_machine(4, 4));
  a.end_block(true);
  acg::Program program = a.program();
  std::vector<uint8_t> memory = a.image();
  memory.pop_back();
  const auto small = simulate(program, memory);
  ASSERT_FALSE(small);
  EXPECT_EQ(small.error().code, "SIM0061");
  memory = a.image();
  program.machine.computes[0].unit = acg::UnitKind::kVliwCore;
  const auto unknown = simulate(program, memory);
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code, "SIM0061");
  EXPECT_EQ(unknown.error().offending, "vliw_core");
  program = a.program();
  program.machine.memories[2].accesses = 2;
  const auto described = simulate(program, memory);
  ASSERT_FALSE(described);
  EXPECT_EQ(described.error().code, "ACG0051");
  program = a.program();
  for (acg::Edge& edge : program.machine.edges) edge.bandwidth = 4;
  const auto narrow = simulate(program, memory);
  ASSERT_FALSE(narrow);
  EXPECT_EQ(narrow.error().code, "SIM0061");
}

}  // namespace
}  // namespace covenant::sim
