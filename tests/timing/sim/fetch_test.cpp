/// Cycles of instruction fetch and of blocks (docs/reference/units/control.md).
#include <gtest/gtest.h>

#include "tests/support/sim/other_words.h"
#include "tests/support/sim/run.h"

namespace covenant::sim {
namespace {

using namespace covenant::sim::testing;

/// A block of one group with `trips` one-cycle words.
void add_block(Assembly& a, int32_t trips, bool last) {
  a.group("SA");
  for (int32_t k = 0; k < trips; ++k) a.op(Operation::kTrip, {7, 0, 0});
  a.end_block(last);
}

TEST(FetchTiming, WordsArriveBeatByBeatAfterTheLatency) {
  for (uint32_t bus : {32U, 64U, 128U}) {
    for (uint32_t latency : {1U, 40U}) {
      const uint64_t per_beat = bus / 32;
      Assembly a(machine_with({{"M", "3"},
                               {"N", "5"},
                               {"axi_instruction", std::to_string(bus)},
                               {"dram_latency", std::to_string(latency)}}));
      a.group("SA").op(Operation::kTrip, {7, 0, 0}).op(Operation::kTrip, {7, 0, 0});
      a.group("DRAM->IBUF").op(Operation::kFill, {1}).end_block(true);
      const Ran ran = run(a);
      const auto fetched = ran.of(static_cast<uint32_t>(acg::engines(a.machine()).size()));
      ASSERT_EQ(fetched.size(), 3U);
      const auto arrive = [&](uint64_t w) { return latency + 1 + w / per_beat; };
      EXPECT_EQ(fetched[0].word_index, 0U);
      EXPECT_EQ(fetched[0].issue, arrive(0));
      EXPECT_EQ(fetched[0].retire, arrive(2) + 1);
      EXPECT_EQ(fetched[1].word_index, 3U);
      EXPECT_EQ(fetched[1].issue, arrive(3));
      EXPECT_EQ(fetched[1].retire, arrive(4) + 1);
      EXPECT_EQ(fetched[2].word_index, 5U);
      EXPECT_EQ(fetched[2].issue, arrive(5));
      EXPECT_EQ(fetched[2].retire, arrive(5) + 1);
      EXPECT_EQ(fetched[2].last_port, arrive(5));
      EXPECT_EQ(fetched[2].sequence, 2U);
      EXPECT_EQ(ran.result.statistics.blocks[0].start, arrive(5) + 1);
      EXPECT_EQ(ran.of(a.engine("SA"))[0].issue, arrive(5) + 1);
    }
  }
}

/// The cycle in which word `w` is there: its bytes come beat by beat.
uint64_t cycle_of_last_byte(uint64_t w, uint64_t word_bytes, uint64_t beat_bytes) {
  uint64_t received = 0;
  uint64_t cycle = 40;  // the latency
  while (received < (w + 1) * word_bytes) {
    received += beat_bytes;
    ++cycle;
  }
  return cycle;
}

TEST(FetchTiming, AWordIsThereWithTheBeatOfItsLastByte) {
  for (const auto& [word_bits, beat_bits] :
       {std::pair{64U, 64U}, {64U, 32U}, {64U, 8U}, {256U, 64U}, {48U, 128U}, {72U, 40U}, {40U, 264U}, {32U, 24U}}) {
    SCOPED_TRACE(::testing::Message() << word_bits << " in beats of " << beat_bits);
    Assembly a(with_words(small_machine(3, 5), word_bits, beat_bits), 68640);  // whole beats of all of them
    add_block(a, 9, false);
    const uint64_t second = a.words();
    a.group("DRAM->IBUF").op(Operation::kFill, {1}).end_block(true);
    EXPECT_EQ(second * word_bits % beat_bits, 0U) << "a block begins where a word and a beat do";
    const Ran ran = run(a);
    const auto fetched = ran.of(static_cast<uint32_t>(acg::engines(a.machine()).size()));
    ASSERT_EQ(fetched.size(), 4U);
    const auto arrive = [&](uint64_t w) { return cycle_of_last_byte(w, word_bits / 8, beat_bits / 8); };
    EXPECT_EQ(fetched[0].issue, arrive(0));
    EXPECT_EQ(fetched[0].retire, arrive(9) + 1);
    EXPECT_EQ(fetched[1].issue, arrive(10));
    EXPECT_EQ(fetched[2].issue, arrive(10) + 1 + arrive(0)) << "the next block's fetch starts when this one ends";
    EXPECT_EQ(ran.result.statistics.blocks[0].start, arrive(10) + 1);
  }
}

/// start and done of every block, by the page's formulas from the word counts and run times.
struct Expected {
  uint64_t start = 0, done = 0;
};
std::vector<Expected> expected_blocks(const std::vector<int32_t>& trips) {
  std::vector<Expected> blocks;
  std::vector<uint64_t> ends;
  for (size_t k = 0; k < trips.size(); ++k) {
    const uint64_t words = static_cast<uint64_t>(trips[k]) + 2;
    uint64_t fetch_start = 0;
    if (k >= 1) fetch_start = ends[k - 1];
    if (k >= 2) fetch_start = std::max(fetch_start, blocks[k - 2].done + 1);
    ends.push_back(fetch_start + 40 + 1 + (words - 1) / 2 + 1);
    Expected block;
    block.start = ends[k];
    if (k >= 1) block.start = std::max(block.start, blocks[k - 1].done + 1);
    block.done = block.start + static_cast<uint64_t>(trips[k]);
    blocks.push_back(block);
  }
  return blocks;
}

TEST(FetchTiming, BlocksOverlapWithTheFetchOfTheNext) {
  for (const std::vector<int32_t>& trips :
       {std::vector<int32_t>{100, 100}, {1000, 3}, {3, 1000}, {500, 3, 400}, {3, 3, 3, 3}, {700, 10, 10, 700, 3}}) {
    Assembly a(small_machine(3, 5));
    for (size_t k = 0; k < trips.size(); ++k) add_block(a, trips[k], k + 1 == trips.size());
    const Ran ran = run(a);
    const auto expected = expected_blocks(trips);
    const auto& blocks = ran.result.statistics.blocks;
    ASSERT_EQ(blocks.size(), expected.size());
    for (size_t k = 0; k < expected.size(); ++k) {
      EXPECT_EQ(blocks[k].start, expected[k].start) << k;
      EXPECT_EQ(blocks[k].done, expected[k].done) << k;
    }
    EXPECT_EQ(ran.result.cycles, expected.back().done);
  }
}

TEST(FetchTiming, ABlockWithoutWordsIsDoneWhenItStarts) {
  Assembly a(small_machine(3, 5));
  add_block(a, 200, false);
  a.end_block(false);
  add_block(a, 5, true);
  const Ran ran = run(a);
  const auto& blocks = ran.result.statistics.blocks;
  EXPECT_EQ(blocks[1].start, blocks[0].done + 1);
  EXPECT_EQ(blocks[1].done, blocks[1].start);
  EXPECT_EQ(blocks[1].cycles, 1U);
}

TEST(FetchTiming, ABlockStartsWithEverythingCleared) {
  Assembly a(small_machine(3, 5));
  a.group("SA").op(Operation::kTrip, {9, 9, 0}).stride(kOutput, 9, 1).op(Operation::kGemm, {0}).end_block(false);
  a.group("SA").op(Operation::kGemm, {0}).end_block(true);
  const Ran ran = run(a);
  const auto records = ran.of(a.engine("SA"));
  EXPECT_EQ(records[2].last_port - records[2].first_port + 1, 10U);
  EXPECT_EQ(records[3].last_port - records[3].first_port + 1, 1U);
  EXPECT_EQ(records[3].sequence, 3U);
}

}  // namespace
}  // namespace covenant::sim
