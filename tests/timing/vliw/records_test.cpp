// Retire records of packets: times, stalls, and the bytes that they left.
#include <gtest/gtest.h>

#include "acg/graph/queries.h"
#include "acg/isa/retire_record.h"
#include "sim/vliw/packet_recorder.h"
#include "sim/vliw/profile.h"
#include "tests/timing/vliw/run.h"

namespace covenant::sim::vliw {
namespace {

using testing::kInterval;
using testing::Ran;

/// A core that has not run yet, and its recorder.
struct Recorded {
  Recorded(const std::vector<std::string>& packets, const PacketRecorder::Wanted& wanted)
      : ran(packets, testing::kNothing), machine(*acg::load_machine("hvx")), recorder(ran.core(), machine, wanted) {
    ran.core().registers().scalars[1] = testing::kData;
    ran.core().run(packets.size());
  }
  uint64_t hash(uint32_t address, uint8_t value) const {
    return acg::write_hash(acg::outermost_memory(machine).value, address, value);
  }
  Ran ran;
  acg::Machine machine;
  PacketRecorder recorder;
};

TEST(PacketRecords, DigestsAreOfTheBytesThatAreLeft) {
  const Recorded run({"{ r0 = ##0x04030201 }", "{ memw(r1+#8) = r0 }", "{ memw(r1+#0) = r0; memw(r1+#0) = r0 }"},
                     {.records = true});
  ASSERT_EQ(run.recorder.records().size(), 3U);
  uint64_t first = 0, both = 0;
  for (uint32_t i = 0; i < 4; ++i) {
    first += run.hash(testing::kData + 8 + i, static_cast<uint8_t>(i + 1));
    both += run.hash(testing::kData + i, static_cast<uint8_t>(i + 1));
  }
  EXPECT_EQ(run.recorder.records()[0].digest, 0U);
  EXPECT_EQ(run.recorder.records()[1].digest, first);
  EXPECT_EQ(run.recorder.records()[2].digest, both) << "each byte once";
}

TEST(PacketRecords, APacketBearsWhatItWaitsFor) {
  const std::vector<std::string> packets{"{ r0 = memw(r1+#0) }", "{ r2 = add(r0,#1) }", "{ v0 = vmem(r1+#7) }",
                                         "{ v1 = vxor(v0,v0) }", "{ jump 0x1014 }"};
  const Recorded run(packets, {.records = true});
  const Ran plain(packets, 0, {}, {{1, testing::kData}});
  ASSERT_EQ(run.recorder.records().size(), packets.size());
  WaitCycles waits;
  VectorWaitCycles vector_waits;
  for (size_t i = 0; i < packets.size(); ++i) {
    const acg::PacketRecord& record = run.recorder.records()[i];
    EXPECT_EQ(record.sequence, i);
    EXPECT_EQ(record.issue, plain.issued(i));
    EXPECT_EQ(record.run, plain.ran(i));
    EXPECT_EQ(record.retire, plain.retired(i));
    waits += {record.stalls.registers, record.stalls.queue, record.stalls.branches};
    vector_waits += {record.stalls.vector_registers, record.stalls.vector_loads};
  }
  EXPECT_EQ(waits, plain.pipeline().counts().waits);
  EXPECT_EQ(vector_waits, plain.pipeline().counts().vector_waits);
  EXPECT_GT(run.recorder.records()[1].stalls.registers, 0U);
  EXPECT_GT(run.recorder.records()[2].stalls.vector_loads, 0U);
  EXPECT_EQ(run.recorder.records()[4].stalls.branches, kInterval);
}

TEST(PacketRecords, AProfileAddsUpToTheNextPacket) {
  const Recorded run({"{ r0 = memw(r1+#0) }", "{ r2 = add(r0,#1) }", "{ jump 0x100c }"}, {});
  const std::vector<PacketProfile> profile = profile_of(run.ran.core(), kInterval);
  ASSERT_EQ(profile.size(), 3U);
  const PacketTimes last = run.ran.core().times();
  EXPECT_EQ(profile[0].cycles + profile[1].cycles, last.issued);
  EXPECT_EQ(profile[2].cycles, kInterval + last.waits.branches);
  EXPECT_EQ(profile[1].stalls.all(), profile[1].stalls.registers);
}

TEST(PacketRecords, PacketsOutsideOfTheRangePassUnseen) {
  const std::vector<std::string> packets(6, "{ nop }");
  const Recorded run(packets, {.records = true, .trace = true, .packets = {2, 3}});
  ASSERT_EQ(run.recorder.records().size(), 2U);
  EXPECT_EQ(run.recorder.records()[0].sequence, 2U);
  EXPECT_EQ(run.recorder.slices().size(), 2U);
  EXPECT_EQ(run.recorder.slices()[0].start, 2 * kInterval);
}

TEST(PacketTraces, InstructionsStandOnTheTracksOfTheirSlots) {
  const Recorded run({"{ v2 = vxor(v1,v3); r0 = add(r0,#1); v1 = vmem(r1+#0) }"}, {.trace = true});
  const std::vector<std::string> tracks = run.recorder.tracks();
  EXPECT_EQ(tracks, (std::vector<std::string>{"slot 3", "slot 2", "slot 1", "slot 0", "stalls", "vector side"}));
  std::vector<std::pair<std::string, std::string>> seen;
  for (const TraceSlice& slice : run.recorder.slices()) seen.emplace_back(tracks[slice.track], slice.name);
  EXPECT_EQ(seen,
            (std::vector<std::pair<std::string, std::string>>{{"slot 3", "v2 = vxor(v1,v3)"},
                                                              {"slot 2", "r0 = add(r0,#1)"},
                                                              {"slot 1", "v1 = vmem(r1+#0)"},
                                                              {"vector side", "vector_loads"},
                                                              {"vector side", "v2 = vxor(v1,v3); v1 = vmem(r1+#0)"}}));
}

}  // namespace
}  // namespace covenant::sim::vliw
