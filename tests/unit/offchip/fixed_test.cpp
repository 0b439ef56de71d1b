/// A memory of fixed latency.
#include "offchip/fixed.h"

#include "offchip/make_model.h"
#include "tests/unit/offchip/bench.h"

namespace covenant::offchip {
namespace {

using namespace covenant::offchip::test;

const Clock kClock{2000};
const std::vector<FixedPort> kPorts{{40, 8}, {3, 64}};

TEST(Fixed, AReadIsAnsweredAfterTheLatencyOfItsPort) {
  FixedLatency memory(kClock, kPorts);
  const std::vector<Answer> expected{{1, 13 * 2000}, {0, 50 * 2000}};
  EXPECT_EQ(answers_of(memory, {read(0, 0, 20'000, 128), read(1, 0, 20'000, 128)}), expected);
}

TEST(Fixed, AWriteIsAnsweredWithItsLastBeat) {
  FixedLatency memory(kClock, kPorts);
  const std::vector<Answer> expected{{0, (10 + 40 + 15) * 2000}, {0, (10 + 40 + 15) * 2000}};
  EXPECT_EQ(answers_of(memory, {write(0, 0, 20'000, 128), read(0, 0, 22'000, 8)}), expected)
      << "the read does not come before the write";
}

TEST(Fixed, APartOfABeatTakesABeat) {
  FixedLatency memory(kClock, kPorts);
  EXPECT_EQ(answers_of(memory, {write(0, 0, 20'000, 129)}), (std::vector<Answer>{{0, (10 + 40 + 16) * 2000}}));
}

TEST(Fixed, NothingComesBeforeItsTime) {
  FixedLatency memory(kClock, kPorts);
  EXPECT_EQ(memory.next(), kNever);
  memory.request(read(1, 0, 0, 64));
  EXPECT_EQ(memory.next(), 6000U);
  std::vector<Answer> answers;
  memory.advance(5999, answers);
  EXPECT_TRUE(answers.empty());
  memory.advance(6000, answers);
  EXPECT_EQ(answers, (std::vector<Answer>{{1, 6000}}));
}

TEST(Fixed, CountsWhatItIsAskedFor) {
  FixedLatency memory(kClock, kPorts);
  answers_of(memory, {read(0, 0, 4000, 64), write(1, 0, 6000, 128)});
  const Statistics& statistics = memory.statistics();
  EXPECT_EQ(statistics.reads, 8U);
  EXPECT_EQ(statistics.writes, 2U);
  EXPECT_EQ(statistics.bytes_read, 64U);
  EXPECT_EQ(statistics.bytes_written, 128U);
  EXPECT_EQ(statistics.ports[1].bytes, 128U);
  EXPECT_EQ(statistics.ports[1].answered, 128U);
  EXPECT_EQ(statistics.first, 4000U);
  EXPECT_EQ(statistics.last, 84'000U);
}

TEST(MakeModel, KnowsTheFixedOneAndAllSets) {
  EXPECT_EQ(memory_names(), (std::vector<std::string>{"fixed", "ddr4_2400", "ddr5_4800", "hbm2", "lpddr4_3200"}));
  for (const std::string& name : memory_names()) {
    Result<std::unique_ptr<Model>> model = make_model(name, {kClock, kPorts});
    ASSERT_TRUE(model) << model.error().message;
    EXPECT_EQ(answers_of(**model, {read(0, 0), read(1, 4096)}).size(), 2U);
  }
}

TEST(MakeModel, GivesATimelineWhenAsked) {
  Timeline timeline;
  Result<std::unique_ptr<Model>> model = make_model("ddr4_2400", {kClock, kPorts}, &timeline);
  ASSERT_TRUE(model);
  answers_of(**model, {read(0, 0)});
  EXPECT_EQ(timeline.tracks.size(), 17U);
  const std::vector<Slice>& slices = timeline.slices;
  ASSERT_EQ(slices.size(), 3U);
  EXPECT_EQ(slices[0].name, "activate");
  EXPECT_EQ(slices[0].start, 833U);
  EXPECT_EQ(slices[0].duration, 17U * 833);
  EXPECT_EQ(slices[1].name, "read");
  EXPECT_EQ(slices[1].start, (1U + 17) * 833);
  EXPECT_EQ(slices[2].track, 16U) << "the bus comes after the banks";
  EXPECT_EQ(slices[2].start, (1U + 17 + 17) * 833);
}

}  // namespace
}  // namespace covenant::offchip
