#include "sim/units/race.h"

#include <gtest/gtest.h>

namespace covenant::sim {
namespace {

constexpr uint32_t kLoader = 0, kReader = 1, kBystander = 2;

RaceDetector three_engines() {
  RaceDetector races(2, {{0}, {0}, {0, 1}});
  races.start_block(std::vector<uint32_t>{kLoader, kReader, kBystander});
  return races;
}

Access write_of(uint64_t first, uint64_t bytes) { return {Region(0, first, bytes), true}; }
Access read_of(uint64_t first, uint64_t bytes) { return {Region(0, first, bytes), false}; }

TEST(Race, UnorderedWriteAndReadOfOneByte) {
  RaceDetector races = three_engines();
  EXPECT_FALSE(races.access(kLoader, write_of(0, 16), {4, 99, 7}));
  EXPECT_FALSE(races.access(kReader, read_of(16, 16), {}));
  const auto conflict = races.access(kReader, read_of(15, 1), {});
  ASSERT_TRUE(conflict);
  EXPECT_EQ(conflict->engine, kLoader);
  EXPECT_TRUE(conflict->is_write);
  EXPECT_EQ(conflict->command.word_index, 4U);
  EXPECT_EQ(conflict->low, 15U);
}

TEST(Race, TwoReadsAreNone) {
  RaceDetector races = three_engines();
  EXPECT_FALSE(races.access(kLoader, read_of(0, 16), {}));
  EXPECT_FALSE(races.access(kReader, read_of(0, 16), {}));
  EXPECT_TRUE(races.access(kBystander, write_of(3, 1), {}));
}

TEST(Race, ATokenOrdersWhatCameBeforeItAndNothingAfter) {
  RaceDetector races = three_engines();
  EXPECT_FALSE(races.access(kLoader, write_of(0, 16), {}));
  const Clock token = races.clock(kLoader);
  races.posted(kLoader);
  EXPECT_FALSE(races.access(kLoader, write_of(100, 16), {}));
  races.took(kReader, token);
  EXPECT_FALSE(races.access(kReader, read_of(0, 16), {}));
  EXPECT_TRUE(races.access(kReader, read_of(100, 1), {}));
}

TEST(Race, OrderIsTransitive) {
  RaceDetector races = three_engines();
  EXPECT_FALSE(races.access(kLoader, write_of(0, 16), {}));
  const Clock first = races.clock(kLoader);
  races.posted(kLoader);
  races.took(kBystander, first);
  const Clock second = races.clock(kBystander);
  races.posted(kBystander);
  races.took(kReader, second);
  EXPECT_FALSE(races.access(kReader, write_of(0, 16), {}));
}

TEST(Race, BlocksAreBarriers) {
  RaceDetector races = three_engines();
  EXPECT_FALSE(races.access(kLoader, write_of(0, 16), {}));
  races.start_block(std::vector<uint32_t>{kReader});
  EXPECT_FALSE(races.access(kReader, write_of(0, 16), {}));
}

TEST(Race, PruningForgetsOnlyWhatIsOrdered) {
  RaceDetector races = three_engines();
  EXPECT_FALSE(races.access(kLoader, write_of(1 << 20, 1), {}));  // never synchronised with the bystander
  for (uint64_t k = 0; k < 1000; ++k) {
    EXPECT_FALSE(races.access(kLoader, write_of(k % 2 * 64, 64), {}));
    const Clock full = races.clock(kLoader);
    races.posted(kLoader);
    races.took(kReader, full);
    EXPECT_FALSE(races.access(kReader, read_of(k % 2 * 64, 64), {}));
    const Clock free = races.clock(kReader);
    races.posted(kReader);
    races.took(kLoader, free);
  }
  EXPECT_TRUE(races.access(kBystander, read_of(1 << 20, 1), {}));
}

}  // namespace
}  // namespace covenant::sim
