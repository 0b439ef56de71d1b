/// Contexts that run at once, as docs/reference/units/vliw_core.md gives it: turns to issue, vector units, caches.
/// Every wait is tight: one clock less is too few.
#include "tests/timing/vliw/run_together.h"

namespace covenant::sim::vliw {
namespace {

using namespace testing;
using Programs = RanTogether::Programs;

/// The same packet, `times` times.
std::vector<std::string> repeated(const std::string& packet, size_t times) { return {times, packet}; }

TEST(ContextTiming, OneContextRunsAsACoreDoes) {
  const std::vector<std::string> packets{"{ r0 = memw(r1+#0) }",     "{ r2 = add(r0,#1) }",  "{ v0 = vmem(r1+#7) }",
                                         "{ v1.w = vasr(v0.w,r2) }", "{ vmem(r1+#0) = v1 }", "{ r3 = memw(r1+#0) }"};
  const RanTogether run({packets}, {{"issues", "1"}, {"vector_units", "1"}});
  const Ran alone(packets, 0, {}, {{1, kData}});
  for (size_t i = 0; i < packets.size(); ++i) {
    EXPECT_EQ(run.issued(0, i), alone.issued(i));
    EXPECT_EQ(run.ran(0, i), alone.ran(i));
    EXPECT_EQ(run.times(0)[i].retired, alone.retired(i));
  }
  EXPECT_EQ(run.counts(0), alone.pipeline().counts());
}

TEST(ContextTiming, FourContextsTakeTurns) {
  const RanTogether run(Programs(4, repeated("{ nop }", 5)), {{"issues", "1"}});
  for (size_t context = 0; context < 4; ++context) {
    for (size_t i = 0; i < 5; ++i) EXPECT_EQ(run.issued(context, i), 4 * i + context);
    // At first it waits for those before it, then for two clocks between its own intervals.
    EXPECT_EQ(run.counts(context).waits.turn, context + 4 * (4 - kInterval));
  }
}

TEST(ContextTiming, TwoContextsFillTheClocksOfAnInterval) {
  const RanTogether run(Programs(2, repeated("{ nop }", 5)), {{"issues", "1"}});
  for (size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(run.issued(0, i), kInterval * i);
    EXPECT_EQ(run.issued(1, i), kInterval * i + 1);
  }
  EXPECT_EQ(run.counts(0).waits.turn, 0U);
  EXPECT_EQ(run.counts(1).waits.turn, 1U);
}

TEST(ContextTiming, TwoPacketsInAClock) {
  const RanTogether run(Programs(4, repeated("{ nop }", 5)), {{"issues", "2"}});
  for (size_t context = 0; context < 4; ++context) {
    for (size_t i = 0; i < 5; ++i) EXPECT_EQ(run.issued(context, i), kInterval * i + context / 2);
  }
  const auto shared_clocks = [](const RanTogether& of) {
    return of.contexts().at(0).pipeline().value().shared().turns.shared_clocks();
  };
  EXPECT_EQ(shared_clocks(run), 2U * 5U);
  EXPECT_EQ(shared_clocks(RanTogether(Programs(4, repeated("{ nop }", 5)), {{"issues", "1"}})), 0U);
  const RanTogether wide(Programs(4, repeated("{ nop }", 5)), {{"issues", "4"}});
  for (size_t context = 0; context < 4; ++context) EXPECT_EQ(wide.issued(context, 4), kInterval * 4);
  EXPECT_EQ(shared_clocks(wide), 5U) << "a clock counts once";
}

/// In which cycles the packets of each of three contexts issue, one in a clock.
void expect_issued(const Programs& programs, const std::vector<std::vector<uint64_t>>& expected) {
  const RanTogether run(programs, {{"issues", "1"}});
  for (size_t context = 0; context < expected.size(); ++context) {
    for (size_t i = 0; i < expected[context].size(); ++i) {
      EXPECT_EQ(run.issued(context, i), expected[context][i]) << "packet " << i << " of context " << context;
    }
  }
}

TEST(ContextTiming, WhoIsReadyForLongestGoesFirst) {
  const std::vector<std::string> branches{"{ nop }", "{ jump 0x1008 }", "{ nop }"}, plain = repeated("{ nop }", 4);
  // The branch costs an interval. The first context's third packet is ready in cycle 7, and so is one of the third
  // context, which has issued since.
  expect_issued({branches, plain, plain}, {{0, 3, 7}, {1, 4, 6, 9}, {2, 5, 8, 10}});
  // The third context's third packet is ready in cycle 9, and so is one of the second context, which has issued since.
  expect_issued({plain, plain, branches}, {{0, 3, 6, 8}, {1, 4, 7, 10}, {2, 5, 9}});
}

TEST(ContextTiming, AContextThatHasEndedTakesNoTurns) {
  const RanTogether run({repeated("{ nop }", 6), repeated("{ nop }", 1), repeated("{ nop }", 1)}, {{"issues", "1"}});
  EXPECT_EQ(run.issued(0, 1), 3U);
  for (size_t i = 2; i < 6; ++i) EXPECT_EQ(run.issued(0, i), run.issued(0, i - 1) + kInterval);
}

TEST(ContextTiming, OneVectorUnitForTwo) {
  const Programs programs(2, repeated("{ v1 = vxor(v2,v3) }", 4));
  const RanTogether run(programs, {{"issues", "1"}, {"vector_units", "1"}});
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(run.ran(0, i), 2 * kInterval * i);
    EXPECT_EQ(run.ran(1, i), 2 * kInterval * i + kInterval);
  }
  EXPECT_EQ(run.counts(0).vector_waits.units, 3 * kInterval);
  EXPECT_EQ(run.counts(1).vector_waits.units, 1 + 3 * kInterval);
  const RanTogether both(programs, {{"issues", "1"}, {"vector_units", "2"}});
  for (size_t context = 0; context < 2; ++context) {
    for (size_t i = 0; i < 4; ++i) EXPECT_EQ(both.ran(context, i), both.issued(context, i));
    EXPECT_EQ(both.counts(context).vector_waits.units, 0U);
  }
}

TEST(ContextTiming, TwoVectorUnitsForThree) {
  const RanTogether run(Programs(3, repeated("{ v1 = vxor(v2,v3) }", 40)), {{"issues", "4"}, {"vector_units", "2"}});
  std::vector<uint64_t> busy(run.contexts().cycles(), 0);
  for (size_t context = 0; context < 3; ++context) {
    for (const PacketTimes& times : run.times(context)) {
      for (uint64_t i = 0; i < kInterval; ++i) ++busy[times.ran + i];
    }
  }
  // No more than there are, and never fewer before the last part.
  const uint64_t parts = 3 * 40;
  for (uint64_t cycle = 0; cycle < parts / 2 * kInterval; ++cycle) EXPECT_EQ(busy[cycle], 2U) << cycle;
}

TEST(ContextTiming, APartMayEndWhereThatOfAnotherBegins) {
  VectorUnits units(1, 2, kInterval);
  EXPECT_EQ(units.take(10, 0), 10U);
  EXPECT_EQ(units.take(8, 0), 8U);
  EXPECT_EQ(units.take(7, 0), 12U) << "not 7: its second clock is taken";
}

TEST(ContextTiming, ScalarPacketsNeedNoVectorUnit) {
  const RanTogether run({repeated("{ v1 = vxor(v2,v3) }", 4), repeated("{ r2 = add(r2,#1) }", 4)},
                        {{"issues", "2"}, {"vector_units", "1"}});
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(run.ran(0, i), kInterval * i);
    EXPECT_EQ(run.issued(1, i), kInterval * i);
  }
}

TEST(ContextTiming, APartKeepsItsPlaceBeforeThoseThatIssuedLater) {
  // The first context's vector comes from memory; the other one's parts run meanwhile, and make room for it.
  const RanTogether run({{"{ v0 = vmem(r1+#0) }"}, repeated("{ v1 = vxor(v2,v3) }", 200)},
                        {{"issues", "1"}, {"vector_units", "1"}});
  const uint64_t loaded = run.ran(0, 0);
  EXPECT_EQ(loaded, kL2 - 1 + kDram + kLine + 1) << "on the grid of intervals";
  EXPECT_EQ(run.counts(0).vector_waits.units, 0U);
  bool is_before = false, is_after = false;
  for (const PacketTimes& times : run.times(1)) {
    EXPECT_TRUE(times.ran + kInterval <= loaded || times.ran >= loaded + kInterval) << times.ran;
    is_before = is_before || times.ran + kInterval + 1 == loaded;
    is_after = is_after || times.ran == loaded + kInterval;
  }
  EXPECT_TRUE(is_before && is_after) << "as near as they may";
}

/// The second context loads what the first one has loaded, some time later.
struct LoadedTwice {
  explicit LoadedTwice(const std::string& load, const std::vector<CommonRange>& common)
      : run({{load}, with_waiting(load)}, {}, common) {}
  static std::vector<std::string> with_waiting(const std::string& load) {
    std::vector<std::string> packets = repeated("{ nop }", 200);
    packets.push_back(load);
    return packets;
  }
  uint64_t cycles() const { return run.ran(1, 200) - run.issued(1, 200); }
  RanTogether run;
};

TEST(ContextTiming, ALineOfBothIsAHitForTheSecond) {
  const std::string load = "{ v0 = vmem(r1+#0) }";
  const LoadedTwice shared(load, {{kData, kDataBytes, 0}});
  EXPECT_EQ(shared.cycles(), kL2) << "its latency but for the first cycle, on the grid of intervals";
  EXPECT_EQ(shared.run.cache("L2").loads, 2U);
  EXPECT_EQ(shared.run.cache("L2").load_misses, 1U);
  const LoadedTwice apart(load, {});
  EXPECT_EQ(apart.cycles(), kL2 + kDram + kLine);
  EXPECT_EQ(apart.run.cache("L2").load_misses, 2U);
  const LoadedTwice beside(load, {{kData + 128, kDataBytes - 128, 0}});
  EXPECT_EQ(beside.run.cache("L2").load_misses, 2U) << "the range begins behind it";
  const LoadedTwice first(load, {{kData, 128, 0}});
  EXPECT_EQ(first.run.cache("L2").load_misses, 1U);
  const LoadedTwice behind("{ v0 = vmem(r1+#1) }", {{kData, 128, 0}});
  EXPECT_EQ(behind.run.cache("L2").load_misses, 2U) << "the range ends before it";
}

TEST(ContextTiming, ContextsShareTheEdgeOfMemory) {
  // Both ask in the same clock: the line of the second one comes after that of the first.
  const RanTogether run(Programs(2, {"{ v0 = vmem(r1+#0) }"}), {{"issues", "2"}});
  EXPECT_EQ(run.issued(1, 0), run.issued(0, 0));
  EXPECT_EQ(run.ran(1, 0) - run.ran(0, 0), kLine);
}

TEST(ContextTiming, AStoreOfOneLeavesTheCachedWordsOfTheOther) {
  // A vector that is stored drops the line from the cache of words: of the context's own only.
  std::vector<std::string> reader = repeated("{ nop }", 300);
  reader.front() = "{ r0 = memw(r1+#0) }";
  reader.back() = "{ r0 = memw(r1+#0) }";
  std::vector<std::string> writer = repeated("{ nop }", 250);
  writer.back() = "{ vmem(r1+#0) = v0 }";
  EXPECT_EQ(RanTogether({reader, writer}).cache("L1D").load_misses, 1U);
  EXPECT_EQ(RanTogether({reader, writer}, {}, {{kData, kDataBytes, 0}}).cache("L1D").load_misses, 2U);
}

}  // namespace
}  // namespace covenant::sim::vliw
