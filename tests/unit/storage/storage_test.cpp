/// The algebra of storages, compared with where every single element lies.
#include "compiler/storage/storage.h"

#include <gtest/gtest.h>
#include <random>

namespace covenant::compiler {
namespace {

using Shape = std::vector<uint64_t>;

/// Addresses of the elements, in row-major order of the dimensions.
std::vector<uint64_t> places(const Storage& storage) {
  std::vector<uint64_t> places{storage.offset};
  for (const StorageDimension& dimension : storage.dimensions) {
    std::vector<uint64_t> next;
    for (const uint64_t place : places) {
      for (uint64_t i = 0; i < dimension.size; ++i) {
        uint64_t tiles = i;
        uint64_t at = place;
        for (size_t step = dimension.strides.size(); step-- > 0;) {
          const uint64_t digit = step == 0 ? tiles : tiles % dimension.strides[step].count;
          at += digit * dimension.strides[step].stride;
          tiles /= dimension.strides[step].count;
        }
        next.push_back(at);
      }
    }
    places = next;
  }
  return places;
}

TEST(Storage, ChannelsLieLastAndPadded) {
  const Storage storage = channels_last("DRAM", {2, 3, 4, 5}, {.channels = 8});
  EXPECT_EQ(print(storage), "DRAM allocation=0 strides=[160,1,40,8] after=[0,5,0,0]");
  EXPECT_EQ(elements_of(storage), 2U * 4 * 5 * 8);
  EXPECT_EQ(channels_in_memory(storage), 8U);
  EXPECT_EQ(shape_of(storage), (Shape{2, 3, 4, 5}));
}

TEST(Storage, RowsMayHavePadding) {
  const Storage storage = channels_last("DRAM", {1, 2, 3, 4}, {.left_pixels = 1, .row_pixels = 7});
  EXPECT_EQ(print(storage), "DRAM allocation=0 offset=2 strides=[42,1,14,2] before=[0,0,0,1] after=[0,0,0,2]");
  EXPECT_EQ(elements_of(storage), 3U * 7 * 2);
}

TEST(Storage, RowsMayLiePixelBesidePixel) {
  const Storage storage = channels_last("DRAM", {1, 2, 3, 2}, {.left_pixels = 1, .row_pixels = 3, .row_group = 2});
  EXPECT_EQ(print(storage), "DRAM allocation=0 offset=4 strides=[24,1,[2,12,2,2],4] before=[0,0,0,1] after=[0,0,1,0]");
  EXPECT_EQ(elements_of(storage), 24U);
  // Channel 0: rows 0 and 1 in turn, pixel for pixel; row 2 in the next group.
  EXPECT_EQ(places(storage), (Shape{4, 8, 6, 10, 16, 20, 5, 9, 7, 11, 17, 21}));
}

TEST(Storage, ARefusalSaysWhy) {
  const Storage padded = channels_last("DRAM", {1, 3, 2, 2}, {.channels = 4});
  const Storage nhwc = permuted(padded, {0, 2, 3, 1});
  EXPECT_TRUE(reshaped(nhwc, {4, 3})) << "rows and columns are neighbours";
  const Result<Storage> apart = reshaped(nhwc, {6, 2});
  ASSERT_FALSE(apart) << "three channels of four are no pairs";
  EXPECT_EQ(apart.error().code, "NET0020");
  EXPECT_NE(apart.error().message.find("neighbours"), std::string::npos);
  EXPECT_EQ(apart.error().offending, "[1,2,2,3] as [6,2]");
  EXPECT_FALSE(reshaped(nhwc, {1, 13}));
  EXPECT_TRUE(reshaped(channels_last("DRAM", {2, 7, 1, 1}, {.channels = 8}), {2, 7})) << "[N,C,1,1] is [N,C]";
  const Storage tiled = channels_last("DRAM", {1, 1, 6, 2}, {.row_group = 2});
  EXPECT_FALSE(reshaped(permuted(tiled, {0, 2, 3, 1}), {8, 3})) << "groups of two rows";
}

TEST(Storage, ADimensionMayTakeSeveralSteps) {
  const Storage padded = channels_last("DRAM", {1, 3, 2, 2}, {.channels = 4});
  const Result<Storage> flat = reshaped(permuted(padded, {0, 2, 3, 1}), {1, 12});
  ASSERT_TRUE(flat);
  EXPECT_EQ(print(*flat), "DRAM allocation=0 strides=[0,[4,4,3,1]]");
  EXPECT_EQ(places(*flat), (Shape{0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14}));
}

TEST(Storage, PartsAndRepetitionsAreViews) {
  const Storage image = channels_last("DRAM", {1, 3, 2, 4}, {});
  const Result<Storage> part = sliced(image, {0, 1, 0, 1}, {1, 1, 1, 2}, {1, 2, 2, 2});
  ASSERT_TRUE(part);
  EXPECT_EQ(places(*part), (Shape{4, 10, 16, 22, 5, 11, 17, 23})) << "channels 1 and 2, columns 1 and 3";
  const Storage twice = repeated(channels_last("DRAM", {1, 1, 2, 2}, {}), {1, 1, 1, 2});
  EXPECT_EQ(places(twice), (Shape{0, 0, 1, 1, 2, 2, 3, 3}));
  EXPECT_EQ(elements_of(twice), 4U);
}

TEST(Storage, CommonStepsGoThroughBoth) {
  const Storage image = channels_last("DRAM", {1, 3, 2, 4}, {.channels = 4});
  const Storage rows = dense("DRAM", {1, 3, 2, 4}, {0, 1, 2, 3}, 4);
  const Result<CommonSteps> turned = common_steps(image, rows, 6);
  ASSERT_TRUE(turned);
  // Neighbours in one are not adjacent in the other: each element is a vector. Rows and columns are contiguous in both.
  EXPECT_EQ(print(turned->from), "DRAM allocation=0 strides=[1,1,1,1,4,1]");
  EXPECT_EQ(shape_of(turned->to), (Shape{1, 1, 1, 3, 8, 1}));
  EXPECT_FALSE(common_steps(image, rows, 2)) << "more steps than asked for";
}

TEST(Storage, TheSameElementsMayHaveOtherShapes) {
  const Storage rows = dense("DRAM", {6, 4}, {0, 1}, 4);
  const Storage image = dense("DRAM", {1, 2, 3, 4}, {0, 1, 2, 3}, 4);
  EXPECT_TRUE(have_same_elements(rows, image));
  EXPECT_TRUE(have_same_elements(rows, dense("DRAM", {24}, {0}, 24)));
  EXPECT_FALSE(have_same_elements(rows, dense("DRAM", {4, 6}, {1, 0}, 4))) << "in another order";
  EXPECT_FALSE(have_same_elements(rows, dense("DRAM", {6, 4}, {0, 1}, 8))) << "with room after each row";
  EXPECT_TRUE(have_same_elements(dense("DRAM", {6, 3}, {0, 1}, 4), dense("DRAM", {2, 3, 3}, {0, 1, 2}, 4)));
  Storage later = image;
  later.offset = 4;
  EXPECT_FALSE(have_same_elements(rows, later));
  Storage elsewhere = image;
  elsewhere.allocation = 1;
  EXPECT_FALSE(have_same_elements(rows, elsewhere));
}

/// A reshape that succeeds shows the same elements in the same order; what fails has gaps.
TEST(Storage, ReshapesKeepEveryElement) {
  std::mt19937 random(7);
  const auto draw = [&](uint64_t least, uint64_t most) {
    return std::uniform_int_distribution<uint64_t>(least, most)(random);
  };
  int made = 0;
  for (uint32_t seed = 0; seed < 400; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Shape shape{draw(1, 3), draw(1, 4), draw(1, 4), draw(1, 4)};
    const ChannelsLast sizes{.channels = shape[1] + draw(0, 1) * 2, .left_pixels = draw(0, 3) / 3};
    const Storage nhwc = permuted(channels_last("DRAM", shape, sizes), {0, 2, 3, 1});
    const uint64_t count = shape[0] * shape[1] * shape[2] * shape[3];
    uint64_t outer = draw(1, count);
    while (count % outer != 0) --outer;
    const Result<Storage> view = reshaped(nhwc, {outer, count / outer});
    if (!view) continue;
    ++made;
    ASSERT_EQ(places(*view), places(nhwc));
    ASSERT_TRUE(have_same_elements(*view, nhwc));
  }
  EXPECT_GT(made, 100);
}

}  // namespace
}  // namespace covenant::compiler
