#include "sim/stream/race.h"

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
  races.start_block(std::vector<uint32_t>{kLoader, kReader});
  EXPECT_FALSE(races.access(kReader, write_of(0, 16), {}));
  // The loader's present accesses are around its earlier ones.
  races.start_block(std::vector<uint32_t>{kLoader, kReader});
  Region around(0, 0, 4);
  around.add_level(2, 96);
  EXPECT_FALSE(races.access(kLoader, {around, true}, {}));
  EXPECT_FALSE(races.access(kReader, write_of(4, 16), {}));
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

/// Whichever engine has no knowledge of the others, the first, the middle or the last: accesses that it may race with
/// are kept.
TEST(Race, PruningAsksEveryEngine) {
  for (uint32_t writer = 0; writer < 3; ++writer) {
    for (uint32_t reader = 0; reader < 3; ++reader) {
      if (reader == writer) continue;
      const uint32_t bystander = 3 - writer - reader;
      RaceDetector races(1, {{0}, {0}, {0}});
      races.start_block(std::vector<uint32_t>{0, 1, 2});
      EXPECT_FALSE(races.access(writer, write_of(1 << 20, 1), {}));
      for (uint64_t k = 0; k < 200; ++k) {
        EXPECT_FALSE(races.access(writer, write_of(k * 64, 64), {}));
        const Clock full = races.clock(writer);
        races.posted(writer);
        races.took(reader, full);
      }
      EXPECT_TRUE(races.access(bystander, read_of(1 << 20, 1), {})) << writer << reader;
      EXPECT_FALSE(races.access(reader, read_of(1 << 20, 1), {})) << writer << reader;
    }
  }
}

/// The last token that all have taken covers what came before it and nothing after.
TEST(Race, PruningKeepsWhatNoTokenCovers) {
  RaceDetector races(1, {{0}, {0}});
  races.start_block(std::vector<uint32_t>{0, 1});
  EXPECT_FALSE(races.access(0, write_of(0, 1), {}));
  races.took(1, races.clock(0));
  races.posted(0);
  for (uint64_t k = 1; k < 200; ++k) EXPECT_FALSE(races.access(0, write_of(2 * k, 1), {}));
  EXPECT_FALSE(races.access(1, read_of(0, 1), {}));
  for (uint64_t k = 1; k < 200; ++k) EXPECT_TRUE(races.access(1, read_of(2 * k, 1), {})) << k;
}

TEST(Race, ATokenLeavesWhatItsTakerKnew) {
  RaceDetector races = three_engines();
  EXPECT_FALSE(races.access(kLoader, write_of(0, 16), {}));
  const Clock early = races.clock(kBystander);
  races.took(kReader, races.clock(kLoader));
  races.posted(kLoader);
  races.took(kReader, early);  // a token whose poster knows nothing of the loader
  EXPECT_FALSE(races.access(kReader, read_of(0, 16), {}));
}

}  // namespace
}  // namespace covenant::sim
