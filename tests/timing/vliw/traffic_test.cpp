/// Lines that cross the caches of a core and the edge of its off-chip memory, as statistics say it.
#include "sim/vliw/traffic.h"

#include <algorithm>

#include "tests/timing/vliw/run.h"

namespace covenant::sim::vliw {
namespace {

using namespace testing;

constexpr uint64_t kLineBytes = 128;
constexpr uint32_t kSameSet = 8192;  ///< bytes between lines of one set, in an L2 of 64 KiB

const MemoryPaths& paths_of(const Ran& ran) { return ran.pipeline().shared().memory; }

std::vector<AccessStatistics> accesses(const Ran& ran) {
  return accesses_of(ran.machine(), paths_of(ran), traffic_of(paths_of(ran)));
}

TEST(Traffic, NothingBeforeTheFirstPacket) {
  const Ran ran({"{ nop }"}, kNothing);
  EXPECT_EQ(accesses(ran), std::vector<AccessStatistics>());
  EXPECT_EQ(offchip_of(ran.machine(), traffic_of(paths_of(ran))), (OffchipStatistics{"DRAM->L2", "L2", 0, 0, 0, 0}));
}

// A vector twice, words of another line, a whole line stored, a part of one, two lines prefetched: of six lines all but
// the one that is stored whole are fetched.
TEST(Traffic, EveryLineThatCrossesIsCountedWhereItCrosses) {
  const Ran ran(
      {"{ v1 = vmem(r0+#0) }", "{ v1 = vmem(r0+#0) }", "{ r1 = memw(r4+#0) }", "{ r1 = memw(r4+#4) }",
       "{ vmem(r0+#1) = v1 }", "{ memw(r5+#0) = r1 }", "{ l2fetch(r6,r3:2) }"},
      0, {},
      {{0, kData}, {4, kData + 0x1000}, {5, kData + 0x2000}, {6, kData + 0x3000}, {2, 1U | 256U << 16}, {3, 256}});
  const std::string core = ran.machine().computes.front().name;
  const std::vector<AccessStatistics> expected{{"L2", core, "load", 3, 0},
                                               {"L2", core, "store", 0, 2},
                                               {"L2", core, "fill", 0, 5},
                                               {"L1D", core, "load", 2, 0},
                                               {"L1D", core, "fill", 0, 1}};
  std::vector<AccessStatistics> found = accesses(ran);
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.memory > b.memory; });
  EXPECT_EQ(found, expected);
  EXPECT_EQ(offchip_of(ran.machine(), traffic_of(paths_of(ran))),
            (OffchipStatistics{"DRAM->L2", "L2", 5 * kLineBytes, 0, 0, 5 * kLine}));
}

// Nine lines of one set, which has eight places: the dirty one that was used least lately is written back.
TEST(Traffic, ADirtyLineIsCountedOnceItIsReplaced) {
  std::vector<std::string> packets{"{ vmem(r0+#0) = v1 }"};
  for (int i = 1; i <= 8; ++i) packets.push_back("{ v2 = vmem(r" + std::to_string(i) + "+#0) }");
  std::vector<std::pair<int, uint32_t>> scalars{{0, kData}};
  for (int i = 1; i <= 8; ++i) scalars.emplace_back(i, kData + static_cast<uint32_t>(i) * kSameSet);
  const Settings small{{"l2_kib", "64"}};
  const Ran seven(packets, 8, small, scalars);
  EXPECT_EQ(traffic_of(paths_of(seven)).bytes_written, 0U);
  const Ran eight(packets, 9, small, scalars);
  Traffic made = traffic_of(paths_of(eight));
  EXPECT_EQ(made.bytes_written, kLineBytes);
  EXPECT_EQ(made.beats, 9 * kLine);
  made -= traffic_of(paths_of(seven));
  EXPECT_EQ(accesses_of(eight.machine(), paths_of(eight), made),
            (std::vector<AccessStatistics>{{"L2", eight.machine().computes.front().name, "load", 1, 0},
                                           {"L2", eight.machine().computes.front().name, "fill", 0, 1},
                                           {"L2", eight.machine().computes.front().name, "write_back", 1, 0}}));
}

}  // namespace
}  // namespace covenant::sim::vliw
