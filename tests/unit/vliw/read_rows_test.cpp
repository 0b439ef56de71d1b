// The bytes that loops read, as rows.
#include "compiler/families/vliw/read_rows.h"

#include <array>
#include <gtest/gtest.h>
#include <vector>

#include "tests/property/acg/random_source.h"

namespace covenant::compiler::vliw {
namespace {

using acg::testing::RandomSource;

Intervals intervals(std::initializer_list<std::pair<int64_t, int64_t>> all) {
  Intervals made;
  for (const auto& [begin, end] : all) made.add(begin, end);
  return made;
}

void expect_rows(const Intervals& read, int64_t begin, int64_t width, int64_t height, int64_t stride) {
  const ReadRows rows = rows_of(read);
  EXPECT_EQ(rows.begin, begin);
  EXPECT_EQ(rows.width, width);
  EXPECT_EQ(rows.height, height);
  EXPECT_EQ(rows.stride, stride);
}

TEST(Intervals, JoinWhatTouches) {
  EXPECT_EQ(intervals({{8, 12}, {0, 4}, {4, 8}}).all(), (std::map<int64_t, int64_t>{{0, 12}}));
  EXPECT_EQ(intervals({{0, 4}, {8, 12}, {2, 9}}).all(), (std::map<int64_t, int64_t>{{0, 12}}));
  EXPECT_EQ(intervals({{0, 4}, {5, 6}}).bytes(), 5);
}

TEST(ReadRows, AreRowsWherePiecesAreAlike) {
  expect_rows(intervals({{64, 96}}), 64, 32, 1, 0);
  expect_rows(intervals({{0, 32}, {100, 132}, {200, 232}}), 0, 32, 3, 100);
}

TEST(ReadRows, AreAllFromTheFirstToTheLastByteWhereTheyAreNot) {
  expect_rows(intervals({{0, 32}, {100, 132}, {201, 233}}), 0, 233, 1, 0);
  expect_rows(intervals({{0, 32}, {100, 131}}), 0, 131, 1, 0);
}

/// A window of 3 x 2 pixels of 64 bytes, read in words.
TEST(ReadRows, OfAWindow) {
  const std::array loops{Stride{4, 16}, Stride{64, 2}, Stride{3712, 3}};
  expect_rows(while_turning(intervals({{0, 4}}), loops), 0, 128, 3, 3712);
}

TEST(ReadRows, WholeLinesHoldWhatIsRead) {
  EXPECT_EQ(whole_lines(intervals({{130, 131}, {-1, 1}}), 128).all(), (std::map<int64_t, int64_t>{{-128, 256}}));
  EXPECT_EQ(whole_lines(intervals({{128, 256}}), 128).all(), (std::map<int64_t, int64_t>{{128, 256}}));
}

/// Against every byte by itself.
TEST(ReadRows, AreTheBytesThatLoopsRead) {
  RandomSource random(7);
  for (int round = 0; round < 200; ++round) {
    std::vector<Stride> loops;
    for (int64_t i = random.between(0, 3); i > 0; --i) {
      loops.push_back({random.between(-40, 40), random.between(1, 6)});
    }
    const int64_t begin = random.between(0, 100), width = random.between(1, 24);
    std::vector<int64_t> starts{begin};
    for (const Stride& loop : loops) {
      std::vector<int64_t> next;
      for (const int64_t start : starts) {
        for (int64_t trip = 0; trip < loop.trips; ++trip) next.push_back(start + trip * loop.bytes);
      }
      starts = std::move(next);
    }
    Intervals wanted;
    for (const int64_t start : starts) {
      for (int64_t byte = start; byte < start + width; ++byte) wanted.add(byte, byte + 1);
    }
    EXPECT_EQ(while_turning(intervals({{begin, begin + width}}), loops).all(), wanted.all())
        << "seed 7, round " << round;
  }
}

}  // namespace
}  // namespace covenant::compiler::vliw
