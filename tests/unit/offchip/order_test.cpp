/// Order of accesses and answers: policies, joined accesses, turns of ports.
#include <algorithm>
#include <map>
#include <string>

#include "tests/unit/offchip/bench.h"

namespace covenant::offchip {
namespace {

using namespace covenant::offchip::test;

Parameters with(Policy policy, uint64_t cap = 16, uint64_t queue = 32) {
  Parameters set = small();
  set.controller.policy = policy;
  set.controller.cap = cap;
  set.controller.queue = queue;
  return set;
}

std::map<uint32_t, uint64_t> clocks_of(const Parameters& set, const std::vector<Burst>& bursts) {
  Dram dram(set, 8);
  std::map<uint32_t, uint64_t> clocks;
  for (const Answer& answer : answers_of(dram, bursts)) clocks[answer.port] = answer.time / 1000;
  return clocks;
}

const std::vector<Burst> kOneRowBetween{read(0, at(0, 0, 0, 0)), read(1, at(1, 0, 0, 0)), read(2, at(0, 0, 0, 1))};

// In order: row 0 at 10, closed at 21, row 1 opens at 28 and is read at 37, closed at 48, row 0 again at 55.
TEST(Order, FcfsTakesTheOldest) {
  const std::map<uint32_t, uint64_t> expected{{0, 24}, {1, 28 + 9 + 14}, {2, 55 + 9 + 14}};
  EXPECT_EQ(clocks_of(with(Policy::kFcfs), kOneRowBetween), expected);
}

// The third one is ready first, at 16; the row is closed tRTP later, at 22.
TEST(Order, FrFcfsTakesWhatIsReady) {
  const std::map<uint32_t, uint64_t> expected{{0, 24}, {1, 22 + 7 + 9 + 14}, {2, 16 + 14}};
  EXPECT_EQ(clocks_of(with(Policy::kFrFcfs), kOneRowBetween), expected);
}

TEST(Order, FcfsOpensNoRowAhead) {
  const std::vector<Burst> bursts{read(0, at(0, 0, 0, 0)), read(1, at(0, 1, 0, 0))};
  const std::map<uint32_t, uint64_t> in_order{{0, 24}, {1, 11 + 9 + 14}};
  EXPECT_EQ(clocks_of(with(Policy::kFcfs), bursts), in_order);
}

TEST(Order, AnOldAccessIsPassedAtMostCapTimes) {
  for (const uint64_t cap : {1U, 2U, 4U}) {
    std::vector<Burst> bursts{read(0, at(0, 0, 0, 0)), read(1, at(1, 0, 0, 0))};
    for (uint32_t i = 0; i < 6; ++i) bursts.push_back(read(2 + i, at(0, 0, 0, 1 + i)));
    const std::map<uint32_t, uint64_t> clocks = clocks_of(with(Policy::kFrFcfs, cap), bursts);
    const auto before = std::count_if(clocks.begin(), clocks.end(), [&](const auto& entry) {
      return entry.first > 1 && entry.second < clocks.at(1);
    });
    EXPECT_EQ(static_cast<uint64_t>(before), cap);
  }
}

TEST(Order, AWriteIsPassedByReadsAtMostCapTimes) {
  std::vector<Burst> bursts{read(0, at(0, 0, 0, 0)), write(1, at(0, 1, 0, 0))};
  for (uint32_t i = 0; i < 6; ++i) bursts.push_back(read(2 + i, at(0, 0, 0, 1 + i)));
  const std::map<uint32_t, uint64_t> clocks = clocks_of(with(Policy::kFrFcfs, 2), bursts);
  const auto before = std::count_if(clocks.begin(), clocks.end(), [&](const auto& entry) {
    return entry.first > 1 && entry.second < clocks.at(1) + 2;  // data of the third read is before that of the write
  });
  EXPECT_EQ(before, 2);
}

/// The column commands of reads of one row beside a write of another group, as letters in their order.
std::string columns_beside_a_write(Parameters set, uint64_t cap) {
  set.controller = with(Policy::kFrFcfs, cap).controller;
  std::string letters;
  Dram dram(set, 8, [&](const Command& command) {
    if (command.kind == CommandKind::kRead) letters += 'r';
    if (command.kind == CommandKind::kWrite) letters += 'W';
  });
  std::vector<Burst> bursts{read(0, at(0, 0, 0, 0)), write(1, at(0, 1, 0, 0))};
  for (uint32_t i = 0; i < 6; ++i) bursts.push_back(read(2 + i, at(0, 0, 0, 1 + i)));
  answers_of(dram, bursts);
  return letters;
}

// The write's row is open at 4, and could be written from 13 on: reads at 10, 16, 22, ... keep the bus turned.
TEST(Order, TheOldestOfAllIsPassedAtMostCapTimes) {
  EXPECT_EQ(columns_beside_a_write(small(), 1), "rrWrrrrr");
  EXPECT_EQ(columns_beside_a_write(small(), 2), "rrrWrrrr");
  EXPECT_EQ(columns_beside_a_write(small(), 4), "rrrrrWrr");
}

// As long as its own row cannot be written, no other access waits for it: reads at 10, 16, ... 40, and none at 46.
TEST(Order, WhoCannotGoYetHoldsUpNobody) {
  Parameters set = small();
  set.timing.rrd_short = 36;
  EXPECT_EQ(columns_beside_a_write(set, 1), "rrrrrrWr") << "written from 37 + 9 on";
  set.timing.rrd_short = 12;
  EXPECT_EQ(columns_beside_a_write(set, 1), "rrWrrrrr") << "from 13 + 9 on, when a third read could go";
  set.timing.rcd_write = 12;
  EXPECT_EQ(columns_beside_a_write(set, 1), "rrrWrrrr") << "from 13 + 12 on, though it could be read before";
}

// The row of port 1 has waited for one read; when it is open, a read of it passes the next one that waits.
TEST(Order, WhoWasServedIsForgotten) {
  std::vector<uint32_t> ports;
  Dram dram(with(Policy::kFrFcfs, 1), 8, [&](const Command& command) {
    if (command.kind == CommandKind::kRead) ports.push_back(command.port);
  });
  answers_of(dram, {read(0, at(0, 0, 0, 0)), read(1, at(1, 0, 0, 0)), read(2, at(0, 0, 0, 1)), read(3, at(0, 0, 0, 2)),
                    read(4, at(1, 0, 0, 1))});
  EXPECT_EQ(ports, (std::vector<uint32_t>{0, 2, 1, 4, 3}));
}

// From 16 on no read goes before the write at 24; a row is opened at 18 all the same.
TEST(Order, RowsAreOpenedBesideWhoStarves) {
  std::vector<uint64_t> opened;
  Dram dram(with(Policy::kFrFcfs, 1), 8, [&](const Command& command) {
    if (command.kind == CommandKind::kActivate) opened.push_back(command.clock);
  });
  std::vector<Burst> bursts{read(0, at(0, 0, 0, 0)), write(1, at(0, 1, 0, 0))};
  for (uint32_t i = 0; i < 4; ++i) bursts.push_back(read(2 + i, at(0, 0, 0, 1 + i)));
  bursts.push_back(read(6, at(0, 0, 1, 0), 17'000));
  answers_of(dram, bursts);
  EXPECT_EQ(opened, (std::vector<uint64_t>{1, 4, 18}));
}

// Four quarters of a line are one access; all are answered with it.
TEST(Order, NarrowBurstsJoin) {
  for (const bool writes : {false, true}) {
    Dram dram(small(), 1);
    std::vector<Burst> bursts;
    for (uint32_t i = 0; i < 8; ++i) bursts.push_back({0, 0, i * 16, 16, writes});
    const std::vector<Answer> answers = answers_of(dram, bursts);
    ASSERT_EQ(answers.size(), 8U);
    EXPECT_EQ(dram.statistics().reads + dram.statistics().writes, 2U);
    const uint64_t first = writes ? 22'000 : 24'000;
    for (size_t i = 0; i < 8; ++i) EXPECT_EQ(answers[i].time, i < 4 ? first : first + 6'000);
  }
}

// Read at 10, data until 24: a burst of clock 23 takes part, one of clock 24 asks again.
TEST(Order, AReadJoinsWhatIsUnderWay) {
  for (const auto& [time, accesses] : {std::pair(22'999U, 1U), std::pair(23'000U, 2U)}) {
    Dram dram(small(), 1);
    answers_of(dram, {read(0, 0, 0, 16), read(0, 16, time, 16)});
    EXPECT_EQ(dram.statistics().reads, accesses);
  }
}

TEST(Order, AWriteJoinsOnlyUntilItsCommand) {
  for (const auto& [time, accesses] : {std::pair(9'999U, 1U), std::pair(10'000U, 2U)}) {
    Dram dram(small(), 1);
    answers_of(dram, {write(0, 0, 0, 16), write(0, 16, time, 16)});
    EXPECT_EQ(dram.statistics().writes, accesses);
  }
}

TEST(Order, OthersDoNotJoin) {
  Dram ports(small(), 2);
  answers_of(ports, {read(0, 0, 0, 16), read(1, 16, 0, 16)});
  EXPECT_EQ(ports.statistics().reads, 2U);
  Dram directions(small(), 1);
  answers_of(directions, {write(0, 0, 0, 16), read(0, 16, 0, 16)});
  EXPECT_EQ(directions.statistics().reads + directions.statistics().writes, 2U);
}

TEST(Order, APortIsAnsweredInTheOrderOfItsBursts) {
  Dram dram(small(), 1);
  // The second one's row is open long before the first one's conflict is solved.
  const std::vector<Answer> answers =
      answers_of(dram, {read(0, at(0, 0, 0, 0)), read(0, at(1, 0, 0, 0), 30'000), read(0, at(0, 1, 0, 0), 30'000)});
  ASSERT_EQ(answers.size(), 3U);
  EXPECT_EQ(answers[1].time, answers[2].time);
}

TEST(Order, ABurstOfSeveralLinesWaitsForTheLast) {
  Dram dram(small(), 1);
  const std::vector<Answer> answers = answers_of(dram, {read(0, 32, 0, 256)});  // five lines of one row
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_EQ(answers[0].time, (10U + 4 * 6 + 14) * 1000);
  EXPECT_EQ(dram.statistics().bytes_read, 5U * 64);
}

// One place: ports take turns, whatever they have asked for.
TEST(Order, PortsTakeTurns) {
  std::vector<Command> commands;
  Dram dram(with(Policy::kFrFcfs, 16, 1), 3, [&](const Command& command) { commands.push_back(command); });
  std::vector<Burst> bursts;
  for (uint32_t i = 0; i < 4; ++i) bursts.push_back(read(0, at(0, 0, 0, i)));
  for (uint32_t i = 0; i < 4; ++i) bursts.push_back(read(2, at(0, 1, 0, i)));
  answers_of(dram, bursts);
  std::vector<uint32_t> ports;
  for (const Command& command : commands) {
    if (command.kind == CommandKind::kRead) ports.push_back(command.port);
  }
  EXPECT_EQ(ports, (std::vector<uint32_t>{0, 2, 0, 2, 0, 2, 0, 2}));
}

// One place: it is free in the clock after the first read at 10, and the other row opens then.
TEST(Order, APlaceIsFreeAfterTheColumnCommand) {
  Parameters set = with(Policy::kFrFcfs, 16, 1);
  set.commands.separate_columns = true;
  expect_tight(set, {read(0, at(0, 0, 0, 0)), read(1, at(0, 1, 0, 0))}, 11 + 9 + 10 + 4);
}

TEST(Order, EqualTimesMayComeInAnyOrderOfPorts) {
  std::vector<Burst> bursts{read(0, at(0, 0, 0, 0)), write(1, at(1, 0, 0, 0)), read(2, at(2, 0, 0, 0))};
  const std::map<uint32_t, uint64_t> clocks = clocks_of(small(), bursts);
  std::reverse(bursts.begin(), bursts.end());
  EXPECT_EQ(clocks_of(small(), bursts), clocks);
}

TEST(Order, CountsHitsMissesAndConflicts) {
  Dram dram(with(Policy::kFcfs), 3);
  answers_of(dram, kOneRowBetween);
  const Statistics& statistics = dram.statistics();
  EXPECT_EQ(statistics.row_misses, 1U);
  EXPECT_EQ(statistics.row_conflicts, 2U);
  EXPECT_EQ(statistics.row_hits, 0U);
  EXPECT_EQ(statistics.busy, 3U * 4 * 1000);
  EXPECT_EQ(statistics.first, 0U);
  EXPECT_EQ(statistics.last, 78'000U);
  EXPECT_DOUBLE_EQ(statistics.bandwidth_bytes_per_second(), 192e12 / 78'000);
}

/// Whether the memory splits it, or the requester.
TEST(Order, ABurstAcrossAMultipleOf4KiBIsTwo) {
  for (const bool writes : {false, true}) {
    const auto burst = [&](uint64_t address, uint32_t bytes) { return Burst{0, 0, address, bytes, writes}; };
    Dram whole(small(), 2), parts(small(), 2);
    const std::vector<Answer> one = answers_of(whole, {burst(3968, 336), read(1, 8192, 0, 512), burst(9000, 24)});
    const std::vector<Answer> two =
        answers_of(parts, {burst(3968, 128), burst(4096, 208), read(1, 8192, 0, 512), burst(9000, 24)});
    ASSERT_EQ(one.size(), 3U);
    ASSERT_EQ(two.size(), 4U);
    const auto first = std::find_if(two.begin(), two.end(), [](const Answer& answer) { return answer.port == 0; });
    std::vector<Answer> of_wholes = two;
    of_wholes.erase(of_wholes.begin() + (first - two.begin()));
    EXPECT_EQ(one, of_wholes);
    EXPECT_EQ(whole.statistics().ports[0].answered, 360U);
    EXPECT_EQ(whole.statistics().ports[0].bursts, 2U);
    EXPECT_EQ(whole.statistics().row_hits, parts.statistics().row_hits);
  }
}

}  // namespace
}  // namespace covenant::offchip
