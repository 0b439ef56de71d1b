/// One model for many runs: no run knows of another one, nor of one that has failed.
#include <algorithm>
#include <gtest/gtest.h>
#include <thread>

#include "tests/support/sim/run.h"

namespace covenant::sim {
namespace {

using testing::Assembly;

/// Moves a row of bytes from 0 to 4096. `slot`: of the token that the store waits for; the load posts that of slot 0.
Assembly copying(int32_t slot = 0) {
  constexpr int32_t kBytes = 96;
  static const acg::Machine kMachine = testing::small_machine(3, 4);
  Assembly a(kMachine);
  a.group("DRAM->VMEM1").wait("VMEM1", testing::kFree).load(0, 0, kBytes).post("VMEM1", testing::kFull);
  a.group("VMEM1->DRAM").wait("VMEM1", testing::kFull, slot).store(4096, 0, kBytes).post("VMEM1", testing::kFree);
  return std::move(a.end_block(true));
}

/// The program, and images for it.
struct Sample {
  acg::Program program = copying().program();
  std::vector<uint8_t> good = copying().image();
  std::vector<uint8_t> stuck = copying(1).image();  ///< that token is never posted
  std::vector<uint8_t> faulty = good;

  Sample() {
    for (uint8_t byte = 0; byte < 96; ++byte) good[byte] = byte;
    const auto entry = static_cast<std::ptrdiff_t>(program.entry);
    std::fill(faulty.begin() + entry, faulty.begin() + entry + 8, uint8_t{0xFF});
  }
};

struct Ran {
  SimulateResult result;
  std::vector<uint8_t> memory;
};

Ran run(Simulator& simulator, const std::vector<uint8_t>& image, const std::string& memory = "fixed") {
  Ran ran{{}, image};
  auto result = simulator.simulate(ran.memory, {.records = true, .trace = true, .memory = memory});
  if (!result) throw std::runtime_error(render(result.error()));
  ran.result = std::move(*result);
  return ran;
}

void expect_same(const Ran& one, const Ran& other) {
  EXPECT_EQ(one.memory, other.memory);
  EXPECT_EQ(one.result.cycles, other.result.cycles);
  EXPECT_EQ(one.result.records, other.result.records);
  EXPECT_EQ(to_json(one.result.statistics), to_json(other.result.statistics));
  EXPECT_EQ(one.result.trace, other.result.trace);
}

TEST(Simulator, RunsAgainAsItRanFirst) {
  const Sample sample;
  Simulator simulator(sample.program);
  const Ran first = run(simulator, sample.good);
  EXPECT_TRUE(std::equal(first.memory.begin(), first.memory.begin() + 96, first.memory.begin() + 4096));
  for (int k = 0; k < 3; ++k) expect_same(run(simulator, sample.good), first);
}

TEST(Simulator, KnowsNothingOfARunThatFailed) {
  const Sample sample;
  Simulator fresh(sample.program);
  const Ran expected = run(fresh, sample.good);
  Simulator simulator(sample.program);
  for (const auto& [image, code] : {std::pair(sample.stuck, "SIM0017"), std::pair(sample.faulty, "SIM0001")}) {
    std::vector<uint8_t> memory = image;
    const auto result = simulator.simulate(memory);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code, code) << render(result.error());
    expect_same(run(simulator, sample.good), expected);
  }
}

TEST(Simulator, CyclesAndMemoriesMayChangeFromRunToRun) {
  const Sample sample;
  Simulator simulator(sample.program);
  const Ran fixed = run(simulator, sample.good);
  const Ran banked = run(simulator, sample.good, "ddr4_2400");
  EXPECT_EQ(banked.result.statistics.memories.size(), 1U);
  EXPECT_EQ(fixed.result.statistics.memories.size(), 0U);
  const auto cycles = simulator.simulate_cycles(sample.good);
  ASSERT_TRUE(cycles) << render(cycles.error());
  EXPECT_EQ(cycles->cycles, fixed.result.cycles);
  expect_same(run(simulator, sample.good), fixed);
  expect_same(run(simulator, sample.good, "ddr4_2400"), banked);
}

TEST(Simulator, SeveralThreadsTakeTurns) {
  const Sample sample;
  Simulator one(sample.program), other(sample.program);
  const Ran expected = run(one, sample.good);
  std::vector<Ran> ran(8);
  std::vector<std::thread> threads;
  for (size_t k = 0; k < ran.size(); ++k) {
    threads.emplace_back([&, k] { ran[k] = run(k % 2 == 0 ? one : other, sample.good); });
  }
  for (std::thread& thread : threads) thread.join();
  for (const Ran& each : ran) expect_same(each, expected);
}

}  // namespace
}  // namespace covenant::sim
