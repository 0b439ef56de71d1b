/// Answer times of the small DRAM against sums that are written out: each answer comes at that time, and not before.
#include <algorithm>

#include "tests/unit/offchip/bench.h"

namespace covenant::offchip {
namespace {

using namespace covenant::offchip::test;

// A burst of time 0 is seen at clock 1. tRCD 9, CL 10, 4 clocks of data: a read of a closed bank ends at 1 + 9 + 10
// + 4.
TEST(Jedec, ClosedBank) {
  expect_tight(small(), {read(0, at(0, 0, 0, 0))}, 1 + 9 + 10 + 4);
  expect_tight(small(), {write(0, at(0, 0, 0, 0))}, 1 + 9 + 8 + 4);
}

TEST(Jedec, RowHitWaitsForTheBusOnly) {
  const std::vector<Burst> bursts{read(0, at(3, 0, 0, 0)), read(1, at(3, 0, 0, 1), 100'000)};
  expect_tight(small(), bursts, 101 + 10 + 4);
}

TEST(Jedec, HitsOfOneGroupAreCcdLongApart) {
  expect_tight(small(), {read(0, at(3, 0, 0, 0)), read(1, at(3, 0, 0, 1))}, 1 + 9 + 6 + 10 + 4);
  expect_tight(small(), {write(0, at(3, 0, 0, 0)), write(1, at(3, 0, 0, 1))}, 1 + 9 + 6 + 8 + 4);
}

TEST(Jedec, WritesOfOneGroupHaveATimeOfTheirOwn) {
  Parameters set = small();
  set.timing.ccd_long_write = 20;
  expect_tight(set, {write(0, at(3, 0, 0, 0)), write(1, at(3, 0, 0, 1))}, 1 + 9 + 20 + 8 + 4);
}

// Activations at 1 and 1 + tRRD_S; the second read waits for tCCD_S after the first one at 10.
TEST(Jedec, TwoGroups) { expect_tight(small(), {read(0, at(0, 0, 0, 0)), read(1, at(0, 1, 0, 0))}, 10 + 4 + 10 + 4); }

TEST(Jedec, ActivationsOfOneGroupAreRrdLongApart) {
  Parameters set = small();
  set.timing.rrd_long = 12;
  expect_tight(set, {read(0, at(0, 0, 0, 0)), read(1, at(0, 0, 1, 0))}, 1 + 12 + 9 + 10 + 4);
  expect_tight(set, {read(0, at(0, 0, 0, 0)), read(1, at(0, 1, 1, 0))}, 10 + 4 + 10 + 4);
}

// Opened at 1, read at 10: tRAS allows the precharge at 21 (tRTP already at 16), the other row opens tRP later.
TEST(Jedec, ConflictWaitsForTras) {
  expect_tight(small(), {read(0, at(0, 0, 0, 0)), read(1, at(1, 0, 0, 0))}, 21 + 7 + 9 + 10 + 4);
}

TEST(Jedec, ConflictWaitsForTrtp) {
  Parameters set = small();
  set.timing.rtp = 25;
  expect_tight(set, {read(0, at(0, 0, 0, 0)), read(1, at(1, 0, 0, 0))}, 10 + 25 + 7 + 9 + 10 + 4);
}

TEST(Jedec, ConflictWaitsForTrc) {
  Parameters set = small();
  set.timing.rc = 40;
  expect_tight(set, {read(0, at(0, 0, 0, 0)), read(1, at(1, 0, 0, 0))}, 1 + 40 + 9 + 10 + 4);
}

// Written at 10, data until 10 + CWL + 4 = 22, closed tWR later.
TEST(Jedec, ConflictWaitsForWriteRecovery) {
  expect_tight(small(), {write(0, at(0, 0, 0, 0)), read(1, at(1, 0, 0, 0))}, 22 + 11 + 7 + 9 + 10 + 4);
}

TEST(Jedec, ConflictOfAnIdleBank) {
  expect_tight(small(), {read(0, at(0, 0, 0, 0)), read(1, at(1, 0, 0, 0), 200'000)}, 201 + 7 + 9 + 10 + 4);
}

// Four activations at 1, 4, 7, 10; the fifth waits for tFAW after the first one.
TEST(Jedec, FourActivateWindow) {
  std::vector<Burst> bursts;
  for (uint32_t i = 0; i < 5; ++i) bursts.push_back(read(i, at(0, i % 2, i / 2, 0)));
  expect_tight(small(), bursts, 1 + 30 + 9 + 10 + 4);
}

// Written at 10, data until 22; a read of the same group waits for tWTR_L, of the other one for tWTR_S.
TEST(Jedec, WriteToRead) {
  expect_tight(small(), {write(0, at(0, 0, 0, 0)), read(1, at(0, 0, 0, 1))}, 22 + 5 + 10 + 4);
  expect_tight(small(), {write(0, at(0, 0, 0, 0)), read(1, at(0, 1, 0, 0))}, 22 + 2 + 10 + 4);
}

// CL 10 + 4 clocks of data + turnaround 2 - CWL 8.
TEST(Jedec, ReadToWrite) { expect_tight(small(), {read(0, at(0, 0, 0, 0)), write(1, at(0, 0, 0, 1))}, 10 + 8 + 8 + 4); }

// Due at 2000. What is asked for by then waits for tRFC; an open row is closed first.
TEST(Jedec, RefreshIsDue) {
  expect_tight(small(), {read(0, at(0, 0, 0, 0), 1'999'500)}, 2000 + 100 + 9 + 10 + 4);
  expect_tight(small(), {read(0, at(0, 0, 0, 0)), read(1, at(0, 0, 0, 1), 1'999'500)}, 2000 + 7 + 100 + 9 + 10 + 4);
}

// Opened at 1990 and read at 1999: just in time. From 1991 on the row would be closed again before its read.
TEST(Jedec, NoRowIsOpenedInVain) {
  expect_tight(small(), {read(0, at(0, 0, 0, 0), 1'989'000)}, 1990 + 9 + 10 + 4);
  expect_tight(small(), {read(0, at(0, 0, 0, 0), 1'990'000)}, 2000 + 100 + 9 + 10 + 4);
}

// Opened at 1985 for a read at 1994; the read of the other direction would be after 2000: tRAS, tRP, tRFC first.
TEST(Jedec, RefreshComesBeforeAReadOfAnOpenRow) {
  const std::vector<Burst> bursts{write(0, at(0, 0, 0, 0), 1'984'000), read(1, at(0, 0, 0, 1), 1'984'000)};
  // Written at 1994, data until 2006, closed tWR later.
  expect_tight(small(), bursts, 2006 + 11 + 7 + 100 + 9 + 10 + 4);
}

TEST(Jedec, RefreshesOfAnIdleMemoryTakePlace) {
  Dram dram(small(), 1);
  answers_of(dram, {read(0, at(0, 0, 0, 0)), read(0, at(0, 0, 0, 0), 10'500'000)});
  EXPECT_EQ(dram.statistics().refreshes, 5U);
  EXPECT_EQ(dram.statistics().row_misses, 2U) << "a refresh closes all rows";
}

// Both rows open, both closed for others at once: tPPD lies between the precharges.
TEST(Jedec, PrechargesArePpdApart) {
  Parameters set = small();
  set.timing.ppd = 5;
  const std::vector<Burst> bursts{read(0, at(0, 0, 0, 0)), read(1, at(0, 1, 0, 0)), read(2, at(1, 0, 0, 0), 200'000),
                                  read(3, at(1, 1, 0, 0), 200'000)};
  expect_tight(set, bursts, 201 + 5 + 7 + 9 + 10 + 4);
}

TEST(Jedec, APrechargeOfAllBanksHasATimeOfItsOwn) {
  Parameters set = small();
  set.timing.rp_all = 12;
  expect_tight(set, {read(0, at(0, 0, 0, 0)), read(1, at(0, 0, 0, 1), 1'999'500)}, 2000 + 12 + 100 + 9 + 10 + 4);
}

// The first refresh waits for a write until 2024; the second one is due at 4000 all the same.
TEST(Jedec, ALateRefreshDelaysNoOther) {
  const std::vector<Burst> bursts{write(0, at(0, 0, 0, 0), 1'984'000), write(1, at(0, 0, 0, 1), 1'984'000),
                                  read(2, at(0, 0, 0, 0), 3'999'500)};
  expect_tight(small(), bursts, 4000 + 7 + 100 + 9 + 10 + 4);
}

// A row for a write is open earlier: up to 1994 it is not in vain.
TEST(Jedec, ARowForAWriteIsOpenedInTime) {
  Parameters set = small();
  set.timing.rcd_write = 5;
  expect_tight(set, {write(0, at(0, 0, 0, 0), 1'993'000)}, 1994 + 5 + 8 + 4);
  expect_tight(set, {write(0, at(0, 0, 0, 0), 1'994'000)}, 2000 + 100 + 5 + 8 + 4);
}

// The first read would have the bus in 10 and 11. An activation of 11 goes first, one of 12 does not.
TEST(Jedec, DataMakesWayForAnActivationThatItWouldHoldUp) {
  Parameters set = small();
  set.commands = {2, 1, 2, 1};
  const std::vector<Burst> bursts{read(1, at(0, 1, 0, 0)), read(0, at(0, 0, 0, 0))};
  set.timing.rrd_short = 11;
  expect_tight(set, bursts, 11 + 10 + 4);
  set.timing.rrd_short = 10;
  expect_tight(set, bursts, 14 + 10 + 4);
}

// A row may be opened and another one read at 10: the row goes first, the read in the next clock.
TEST(Jedec, OneCommandInAClock) {
  Parameters set = small();
  set.timing.rrd_short = 9;
  expect_tight(set, {read(1, at(0, 1, 0, 0)), read(0, at(0, 0, 0, 0))}, 11 + 10 + 4);
}

// Two clocks of the bus for each command but a precharge: an activation that may begin at 1 is there at 2.
TEST(Jedec, CommandsOfSeveralClocks) {
  Parameters set = small();
  set.commands = {2, 1, 2, 1};
  expect_tight(set, {read(0, at(0, 0, 0, 0))}, 2 + 9 + 10 + 4);
  // 1-2 and 4-5 activate (tRRD_S 3); read at 11; the second one at 15.
  expect_tight(set, {read(0, at(0, 0, 0, 0)), read(1, at(0, 1, 0, 0))}, 11 + 4 + 10 + 4);
}

// Three activations need clocks 1-4, 5-8 and 9-12; the first read would begin at 13 - 3 = 10, when the bus is taken.
TEST(Jedec, TheCommandBusIsTaken) {
  Parameters set = small();
  set.commands = {4, 1, 4, 1};
  const std::vector<Burst> bursts{read(1, at(0, 1, 0, 0)), read(2, at(0, 0, 1, 0)), read(0, at(0, 0, 0, 0))};
  Dram dram(set, 3);
  std::vector<Command> commands;
  Dram logged(set, 3, [&](const Command& command) { commands.push_back(command); });
  answers_of(logged, bursts);
  ASSERT_GE(commands.size(), 4U);
  EXPECT_EQ(commands[0].clock, 4U);
  EXPECT_EQ(commands[1].clock, 8U);
  EXPECT_EQ(commands[2].clock, 12U);
  EXPECT_EQ(commands[3].clock, 16U) << "allowed from 13 on, but the bus is taken up to 12";
  set.commands.separate_columns = true;
  commands.clear();
  Dram apart(set, 3, [&](const Command& command) { commands.push_back(command); });
  answers_of(apart, bursts);
  EXPECT_TRUE(std::any_of(commands.begin(), commands.end(), [](const Command& command) {
    return command.kind == CommandKind::kRead && command.clock == 13;
  }));
}

TEST(Jedec, ControllerLatencyIsAdded) {
  Parameters set = small();
  set.controller.latency_ps = 12'000;
  expect_tight(set, {read(0, at(0, 0, 0, 0))}, 24 + 12);
}

}  // namespace
}  // namespace covenant::offchip
