/// Random bursts on every parameter set: all rules hold, everything is answered, and how time advances does not matter.
#include <cstdio>
#include <gtest/gtest.h>
#include <random>

#include "tests/unit/offchip/bench.h"
#include "tests/unit/offchip/checker.h"

namespace covenant::offchip {
namespace {

using namespace covenant::offchip::test;

constexpr uint32_t kPorts = 5;

/// Streams and jumps, reads and writes, narrow and wide, with pauses of all lengths.
std::vector<Burst> random_bursts(std::mt19937_64& random, const Parameters& set, uint32_t count) {
  const auto below = [&](uint64_t end) { return random() % end; };
  std::vector<uint64_t> at(kPorts);
  std::vector<Burst> bursts;
  uint64_t time = 0;
  for (uint32_t i = 0; i < count; ++i) {
    Burst burst;
    burst.port = static_cast<uint32_t>(below(kPorts));
    burst.bytes = static_cast<uint32_t>(uint64_t{1} << below(11));
    if (below(4) == 0) at[burst.port] = below(below(2) == 0 ? set.organization.bytes() : 1 << 16);
    if (at[burst.port] % 4096 + burst.bytes > 4096) at[burst.port] = (at[burst.port] / 4096 + 1) * 4096;
    burst.address = at[burst.port];
    at[burst.port] += burst.bytes;
    burst.writes = below(burst.port + 2) == 0;
    if (below(3) == 0) time += below(40'000);
    if (below(200) == 0) time += below(3 * set.timing.refi * set.clock_ps);
    burst.time = time;
    bursts.push_back(burst);
  }
  return bursts;
}

/// Asks each burst at its time and advances to each `next`.
std::vector<Answer> run(Dram& dram, const std::vector<Burst>& bursts) {
  std::vector<Answer> answers;
  size_t i = 0;
  while (i < bursts.size() || dram.next() != kNever) {
    const uint64_t next = dram.next();
    if (i < bursts.size() && bursts[i].time <= next) {
      dram.request(bursts[i++]);
    } else {
      const size_t before = answers.size();
      dram.advance(next, answers);
      for (size_t k = before; k < answers.size(); ++k) EXPECT_EQ(answers[k].time, next) << "none comes before `next`";
      EXPECT_GT(dram.next(), next);
    }
  }
  return answers;
}

Parameters random_controller(std::mt19937_64& random, const std::string& name) {
  Parameters set = *load_parameters(name);
  set.controller.policy = random() % 3 == 0 ? Policy::kFcfs : Policy::kFrFcfs;
  set.controller.queue = random() % 4 == 0 ? 1 : 1 + random() % 64;
  set.controller.cap = 1 + random() % 20;
  set.organization.bank_xor = random() % 2 == 0;
  set.commands.separate_columns = random() % 2 == 0;
  std::shuffle(set.organization.order.begin(), set.organization.order.end(), random);
  return set;
}

uint64_t count_of(const std::vector<std::vector<Command>>& commands, CommandKind kind) {
  uint64_t count = 0;
  for (const std::vector<Command>& channel : commands) {
    count += static_cast<uint64_t>(
        std::count_if(channel.begin(), channel.end(), [&](const Command& command) { return command.kind == kind; }));
  }
  return count;
}

void expect_rules(const Parameters& set, const std::vector<Burst>& bursts) {
  std::vector<std::vector<Command>> commands(set.organization.channels);
  Dram dram(set, kPorts, [&](const Command& command) { commands[command.channel].push_back(command); });
  const std::vector<Answer> answers = run(dram, bursts);
  for (const std::vector<Command>& channel : commands)
    EXPECT_EQ(Checker(set, channel).problems(), std::vector<std::string>());
  EXPECT_EQ(answers.size(), bursts.size());
  for (size_t i = 1; i < answers.size(); ++i) EXPECT_LE(answers[i - 1].time, answers[i].time);
  for (const PortStatistics& port : dram.statistics().ports) EXPECT_EQ(port.bytes, port.answered);
  const Statistics& counts = dram.statistics();
  EXPECT_EQ(counts.row_hits + counts.row_misses + counts.row_conflicts, counts.reads + counts.writes);
  EXPECT_EQ(counts.activations, count_of(commands, CommandKind::kActivate));
  EXPECT_GE(counts.activations, counts.row_misses + counts.row_conflicts);
  EXPECT_EQ(counts.refreshes, count_of(commands, CommandKind::kRefresh));
}

class Sets : public ::testing::TestWithParam<std::string> {};

TEST_P(Sets, RandomBurstsKeepAllRules) {
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    std::mt19937_64 random(seed);
    const Parameters set = random_controller(random, GetParam());
    const std::vector<Burst> bursts = random_bursts(random, set, 400);
    SCOPED_TRACE(GetParam() + ", seed " + std::to_string(seed));
    expect_rules(set, bursts);
    if (HasFailure()) return;
  }
  std::printf("%s: seeds 1..40\n", GetParam().c_str());
}

TEST_P(Sets, HowTimeAdvancesDoesNotMatter) {
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    std::mt19937_64 random(seed);
    const Parameters set = random_controller(random, GetParam());
    const std::vector<Burst> bursts = random_bursts(random, set, 300);
    Dram by_events(set, kPorts);
    const std::vector<Answer> expected = run(by_events, bursts);
    Dram by_bursts(set, kPorts);
    std::vector<Answer> answers;
    for (const Burst& burst : bursts) {
      if (burst.time > 0) by_bursts.advance(burst.time - 1, answers);
      by_bursts.request(burst);
      if (random() % 2 == 0) by_bursts.advance(burst.time, answers);
    }
    by_bursts.advance(kNever - 1, answers);
    EXPECT_EQ(answers, expected) << GetParam() << ", seed " << seed;
    EXPECT_EQ(by_bursts.statistics().refreshes, by_events.statistics().refreshes);
  }
}

INSTANTIATE_TEST_SUITE_P(All, Sets, ::testing::ValuesIn(builtin_parameters()),
                         [](const auto& tested) { return tested.param; });

// The checker itself: a rule that is broken is seen.
TEST(Checker, SeesWhatIsTooEarly) {
  const Parameters set = small();
  const auto problems = [&](std::vector<Command> commands) {
    return Checker(set, std::move(commands)).problems().size();
  };
  const Command open{CommandKind::kActivate, 0, 0, 3, 0, 0, 0, 1};
  EXPECT_EQ(problems({open, {CommandKind::kRead, 0, 0, 3, 0, 0, 0, 10}}), 0U);
  EXPECT_EQ(problems({open, {CommandKind::kRead, 0, 0, 3, 0, 0, 0, 9}}), 1U);
  EXPECT_EQ(problems({open, {CommandKind::kRead, 0, 0, 4, 0, 0, 0, 10}}), 1U);
  EXPECT_EQ(problems({open, {CommandKind::kPrecharge, 0, 0, 0, 0, 0, 0, 20}}), 1U);
  EXPECT_EQ(problems({open, {CommandKind::kRead, 0, 0, 3, 0, 0, 1, 10}, {CommandKind::kRead, 0, 0, 3, 0, 0, 0, 16}}),
            1U);
  EXPECT_EQ(problems({{CommandKind::kActivate, 0, 0, 3, 0, 0, 0, 2000}}), 1U);
}

}  // namespace
}  // namespace covenant::offchip
