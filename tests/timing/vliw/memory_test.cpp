/// When loads and stores of a vliw_core are answered: caches, off-chip memory, prefetches.
#include "tests/timing/vliw/run.h"

namespace covenant::sim::vliw {
namespace {

using namespace testing;

using Scalars = std::vector<std::pair<int, uint32_t>>;

/// Cycles from a load that the last cache does not hold to its data, the load's own stages apart.
constexpr uint64_t kMiss = kL2 - 1 + kDram + kLine;
constexpr uint64_t kLineBytes = 128;
constexpr uint64_t on_grid(uint64_t cycle) { return (cycle + kInterval - 1) / kInterval * kInterval; }

TEST(MemoryTiming, AVectorComesFromMemoryOnceThenFromTheCache) {
  const Ran ran({"{ v1 = vmem(r0+#0) }", "{ nop }", "{ v2 = vmem(r0+#0) }"}, 0, {}, {{0, kData}});
  EXPECT_EQ(ran.ran(0), on_grid(kMiss));
  EXPECT_EQ(ran.ran(2), on_grid(kMiss) + kInterval);  // it was asked for long ago
  EXPECT_EQ(ran.issued(2), 2 * kInterval);            // only the vector side waits
  EXPECT_EQ(ran.cache("L2"), (CacheCounts{.loads = 2, .load_misses = 1}));
  EXPECT_EQ(ran.pipeline().counts().vector_waits.loads, on_grid(kMiss));
}

TEST(MemoryTiming, AHitIsAnsweredAfterTheLatencyOfTheCache) {
  // So many packets between them that the vector side has caught up.
  std::vector<std::string> packets(200, "{ nop }");
  packets.front() = "{ v1 = vmem(r0+#0) }";
  packets.back() = "{ v2 = vmem(r0+#0) }";
  for (const uint64_t latency : {1U, 2U, 16U, 31U}) {
    const Ran ran(packets, 0, {{"l2_latency", std::to_string(latency)}}, {{0, kData}});
    EXPECT_EQ(ran.ran(199) - ran.issued(199), on_grid(latency - 1)) << latency;
  }
}

TEST(MemoryTiming, TwoMissesShareTheEdge) {
  const Ran ran({"{ v1 = vmem(r0+#0) }", "{ v2 = vmem(r0+#1) }", "{ v3 = vmem(r0+#2) }"}, 0, {}, {{0, kData}});
  EXPECT_EQ(ran.ran(0), on_grid(kMiss));
  EXPECT_EQ(ran.ran(1), on_grid(kMiss + kLine));
  EXPECT_EQ(ran.ran(2), on_grid(kMiss + 2 * kLine));
}

TEST(MemoryTiming, AnUnalignedVectorMayLieInTwoLines) {
  const Ran one({"{ v1 = vmemu(r0+#0) }"}, 0, {}, {{0, kData}});
  EXPECT_EQ(one.cache("L2").loads, 1U);
  const Ran two({"{ v1 = vmemu(r0+#0) }"}, 0, {}, {{0, kData + 1}});
  EXPECT_EQ(two.cache("L2").loads, 2U);
  EXPECT_EQ(two.ran(0), on_grid(kMiss + kLine));
}

TEST(MemoryTiming, ScalarsComeByWayOfTheirOwnCache) {
  const Ran ran({"{ r1 = memw(r0+#0) }", "{ r2 = add(r1,r1) }", "{ r3 = memw(r0+#4) }", "{ r4 = add(r3,r3) }",
                 "{ r5 = memw(r0+#32) }", "{ r6 = add(r5,r5) }"},
                0, {}, {{0, kData}});
  EXPECT_EQ(ran.issued(1), on_grid(kMiss + 4 - 2));                // loaded in stage 4, read in stage 2
  EXPECT_EQ(ran.issued(3) - ran.issued(2), kInterval);             // in the line of 32 bytes
  EXPECT_EQ(ran.issued(5) - ran.issued(4), on_grid(kL2 - 1 + 2));  // beyond it, but in the line of the L2
  EXPECT_EQ(ran.cache("L1D"), (CacheCounts{.loads = 3, .load_misses = 2}));
  EXPECT_EQ(ran.cache("L2"), (CacheCounts{.loads = 2, .load_misses = 1}));
}

TEST(MemoryTiming, AnAddressThatWasLoadedIsReadEarlier) {
  Ran chase({"{ r1 = memw(r0+#0) }", "{ r2 = add(r1,r1) }", "{ r3 = memw(r0+#4) }", "{ r4 = memw(r3+#0) }"}, 3, {},
            {{0, kData}});
  chase.core().registers().scalars[3] = kData;
  chase.core().run(1);
  EXPECT_EQ(chase.core().times().issued - chase.issued(2), 2 * kInterval);
}

TEST(MemoryTiming, APrefetchedBlockIsAwaitedForWhatIsLeft) {
  // Two rows of 256 bytes, 1024 bytes apart.
  const Scalars scalars{{0, kData}, {2, 2U | 256U << 16}, {3, 1024}};
  const Ran ran({"{ l2fetch(r0,r3:2) }", "{ nop }", "{ v1 = vmem(r0+#0) }", "{ v2 = vmem(r0+#1) }"}, 0, {}, scalars);
  EXPECT_EQ(ran.cache("L2").prefetches, 4U);
  EXPECT_EQ(ran.cache("L2").load_misses, 0U);
  EXPECT_EQ(ran.ran(2), on_grid(kDram + kLine));
  EXPECT_EQ(ran.ran(3), on_grid(kDram + 2 * kLine));
}

TEST(MemoryTiming, APrefetchCoversTheLinesThatItsRowsTouch) {
  const Ran ran({"{ l2fetch(r0,r3:2) }"}, 0, {}, {{0, kData + 127}, {2, 3U | 2U << 16}, {3, 128}});
  EXPECT_EQ(ran.cache("L2").prefetches, 6U);
  const Ran again({"{ l2fetch(r0,r3:2) }", "{ l2fetch(r0,r3:2) }"}, 0, {},
                  {{0, kData + 127}, {2, 3U | 2U << 16}, {3, 128}});
  EXPECT_EQ(again.cache("L2").prefetches, 12U);
  EXPECT_EQ(again.edge().bytes_read(), 4 * kLineBytes) << "what is there is not fetched again";
  const Ran nothing({"{ l2fetch(r0,r3:2) }"}, 0, {}, {{0, kData}, {2, 3U}, {3, 128}});
  EXPECT_EQ(nothing.cache("L2").prefetches, 0U);
}

TEST(MemoryTiming, AStoreHoldsUpOnlyWhoLoadsItsBytes) {
  const Ran ran({"{ vmem(r0+#0) = v1 }", "{ vmem(r0+#1) = v1 }", "{ r1 = memw(r0+#0) }", "{ r2 = add(r1,r1) }"}, 0, {},
                {{0, kData}});
  EXPECT_EQ(ran.ran(0), 0U);
  EXPECT_EQ(ran.ran(1), kInterval);
  EXPECT_EQ(ran.issued(3) - ran.issued(2), on_grid(kL2 - 1 + 2));
  EXPECT_EQ(ran.cache("L2"),
            (CacheCounts{.loads = 1, .stores = 2, .store_misses = 2}));  // whole lines: nothing fetched
}

TEST(MemoryTiming, WhatIsWrittenInPartIsFetchedFirst) {
  const std::vector<std::pair<std::string, uint32_t>> stores{
      {"{ vmem(r0+#0) = v1 }", 0},    {"{ vmemu(r0+#0) = v1 }", 0},        {"{ vmemu(r0+#0) = v1 }", 1},
      {"{ vmemu(r0+#0) = v1 }", 127}, {"{ if (q0) vmem(r0+#0) = v1 }", 0}, {"{ memw(r0+#0) = r1 }", 0},
      {"{ memw(r0+#0) = r1 }", 124}};
  const std::vector<uint64_t> fetched{0, 0, 2, 2, 1, 1, 1};
  for (size_t i = 0; i < stores.size(); ++i) {
    const auto& [store, offset] = stores[i];
    const uint32_t address = kData + offset;
    // A load of another line waits for the edge, which shows how many lines were fetched before it.
    const Ran ran({store, "{ v2 = vmem(r1+#0) }"}, 0, {}, {{0, address}, {1, kData + 0x1000}});
    const uint64_t begin = std::max(ran.issued(1) + kL2 - 1, fetched[i] * kLine);
    EXPECT_EQ(ran.ran(1), on_grid(begin + kDram + kLine)) << store << " at " << offset;
    EXPECT_EQ(ran.edge().bytes_read(), (fetched[i] + 1) * kLineBytes) << store << " at " << offset;
  }
}

TEST(MemoryTiming, ALineThatHasBeenStoredLeavesTheOtherCache) {
  const Ran ran({"{ r1 = memw(r0+#0) }", "{ r2 = add(r1,r1) }", "{ vmem(r0+#0) = v1 }", "{ r3 = memw(r0+#0) }"}, 0, {},
                {{0, kData}});
  EXPECT_EQ(ran.cache("L1D").load_misses, 2U);
  // A scalar store goes through: its own cache keeps the line.
  const Ran through({"{ r1 = memw(r0+#0) }", "{ r2 = add(r1,r1) }", "{ memw(r0+#0) = r2 }", "{ r3 = memw(r0+#0) }"}, 0,
                    {}, {{0, kData}});
  EXPECT_EQ(through.cache("L1D").load_misses, 1U);
}

TEST(MemoryTiming, AVectorThatIsStoredLeavesAllItsWords) {
  const Ran ran({"{ r1 = memw(r0+#0) }", "{ r2 = memw(r0+#96) }", "{ vmem(r0+#0) = v1 }", "{ r3 = memw(r0+#96) }"}, 0,
                {}, {{0, kData}});
  EXPECT_EQ(ran.cache("L1D").load_misses, 3U);
}

TEST(MemoryTiming, TheLaterOfTwoLinesDecides) {
  std::vector<std::string> packets(200, "{ nop }");
  packets.front() = "{ v1 = vmem(r0+#0) }";
  packets.back() = "{ v2 = vmemu(r1+#0) }";  // the line before it, and that one
  const Ran ran(packets, 0, {}, {{0, kData + 128}, {1, kData + 1}});
  EXPECT_EQ(ran.cache("L2").load_misses, 2U);
  EXPECT_EQ(ran.ran(199) - ran.issued(199), on_grid(kMiss));
}

TEST(MemoryTiming, ALoadWaitsForTheLineThatAStoreFetches) {
  const Ran ran({"{ memw(r0+#0) = r1 }", "{ v1 = vmem(r0+#0) }"}, 0, {}, {{0, kData}});
  EXPECT_GE(ran.ran(1), kDram + kLine);
  EXPECT_EQ(ran.cache("L2").load_misses, 0U);
}

TEST(MemoryTiming, ALoadWaitsForTheValueOfAStore) {
  std::vector<std::string> packets(204, "{ nop }");
  packets.front() = "{ v0 = vmem(r0+#0) }";  // the line is there long before it is stored
  packets[200] = "{ v1 = vmem(r5+#0) }";
  packets[201] = "{ vmem(r0+#0) = v1 }";
  packets[202] = "{ r3 = memw(r0+#0) }";
  packets[203] = "{ r4 = add(r3,r3) }";
  const Ran ran(packets, 0, {}, {{0, kData}, {5, kData + 0x1000}});
  EXPECT_GE(ran.ran(201), ran.issued(200) + kMiss);
  EXPECT_GE(ran.issued(203), ran.ran(201));
}

TEST(MemoryTiming, AHitMakesALineYoungAgain) {
  // Eight lines; the second one is loaded again, and two new lines take the places of the first and the third.
  std::vector<std::string> packets(8, "{ v1 = vmem(r0++#1) }");
  packets.emplace_back("{ v2 = vmem(r1+#0) }");
  packets.insert(packets.end(), 2, "{ v1 = vmem(r0++#1) }");
  packets.emplace_back("{ v2 = vmem(r1+#0) }");
  const Ran ran(packets, 0, {{"l2_kib", "1"}}, {{0, kData}, {1, kData + 128}});
  EXPECT_EQ(ran.cache("L2").load_misses, 10U);
  EXPECT_EQ(ran.cache("L2").written_back, 0U);
}

TEST(MemoryTiming, ALineThatGoesBackTakesItsTimeOnTheEdge) {
  std::vector<std::string> packets(8, "{ vmem(r0++#1) = v0 }");
  packets.insert(packets.end(), 2, "{ v1 = vmem(r0++#1) }");
  const Ran ran(packets, 0, {{"l2_kib", "1"}}, {{0, kData}});
  EXPECT_EQ(ran.ran(9) - ran.ran(8), 2 * kLine) << "the line that the first load replaces lies between theirs";
  EXPECT_EQ(ran.edge().bytes_read(), 2 * kLineBytes);
  EXPECT_EQ(ran.edge().bytes_written(), 2 * kLineBytes);
}

TEST(MemoryTiming, WhatWasWrittenGoesBackWhenItsPlaceIsTaken) {
  // An L2 of 1 KiB has one set of eight lines: the ninth line takes the place of the first.
  std::vector<std::string> packets;
  for (int i = 0; i < 9; ++i) packets.push_back("{ vmem(r0++#1) = v1 }");
  EXPECT_EQ(Ran(packets, 8, {{"l2_kib", "1"}}, {{0, kData}}).cache("L2").written_back, 0U);
  EXPECT_EQ(Ran(packets, 9, {{"l2_kib", "1"}}, {{0, kData}}).cache("L2").written_back, 1U);
  // The line used last stays.
  packets.insert(packets.begin() + 8, "{ v2 = vmem(r1+#0) }");
  packets.push_back("{ v2 = vmem(r1+#0) }");
  const Ran used(packets, 0, {{"l2_kib", "1"}}, {{0, kData}, {1, kData}});
  EXPECT_EQ(used.cache("L2").load_misses, 0U);
  EXPECT_EQ(used.cache("L2").written_back, 1U);
}

}  // namespace
}  // namespace covenant::sim::vliw
